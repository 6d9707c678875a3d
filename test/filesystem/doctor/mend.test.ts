/** What mending does to ids, times and texts, beyond making the finding go away. */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../../src/model/entry.ts'
import { Ward } from './ward.ts'

const ENTRIES = 'agents/main/entries'

async function entriesOf(ward: Ward): Promise<Map<string, Entry>> {
  const store = ward.open()
  const found = new Map<string, Entry>()
  for await (const entry of store.scan()) found.set(entry.id, entry)
  await store.close()
  return found
}

function facts(entries: ReadonlyMap<string, Entry>): string[] {
  return [...entries.values()]
    .map(({ id, kind, name, content, createdAt }) => [id, kind, name, content, createdAt].join(' '))
    .sort()
}

describe('an id that stands twice', () => {
  it('is given to the copy that the store knows it as, so that no entry becomes another', async () => {
    const ward = await Ward.healthy()
    ward.write(`${ENTRIES}/copied.md`, ward.read(`${ENTRIES}/deploys.md`).replace(/^name: .*$/m, 'name: Copied'))
    ward.change(ward.today, (log) => `${log}\n${log.slice(log.indexOf('## '), log.lastIndexOf('## '))}`)
    const before = await entriesOf(ward)
    await ward.mend()
    const after = await entriesOf(ward)
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
    expect(facts(after).map(withoutTime)).toEqual(facts(before).map(withoutTime))
    const ids = [...ward.read(ward.today).matchAll(/"id":"([^"]+)"/g)].map((match) => match[1])
    expect(new Set(ids).size).toBe(3)
    expect(ward.read(`${ENTRIES}/copied.md`)).not.toContain(/^id: (.*)$/m.exec(ward.read(`${ENTRIES}/deploys.md`))?.[1])
  })

  it('is left alone in a copy that a sync program made, since someone has to judge', async () => {
    const ward = await Ward.healthy()
    const copy = `${ENTRIES}/deploys.sync-conflict-20261115-101010-ABCDEFG.md`
    ward.write(copy, `${ward.read(`${ENTRIES}/deploys.md`)}More.\n`)
    chmodSync(ward.path(`${ENTRIES}/port.md`), 0o644)
    const text = ward.read(copy)
    const { examination } = await ward.mend()
    expect(examination.findings.map(({ code }) => code)).toEqual(['conflict-copy'])
    expect(ward.read(copy)).toBe(text)
  })
})

/** A copy's time comes from the file where the id no longer tells it. */
function withoutTime(fact: string): string {
  return fact.replace(/ \d{4}-\d\d-\d\dT[\d:.]+Z$/, '')
}

describe('a name in NFD', () => {
  it('becomes NFC, and the entry stays the same one', async () => {
    const ward = await Ward.healthy()
    ward.write(`${ENTRIES}/cafe\u0301.md`, 'A card without front matter.\n')
    ward.write('world/re\u0301sume\u0301.md', 'A topic without an id.\n')
    const before = facts(await entriesOf(ward))
    await ward.mend()
    expect(facts(await entriesOf(ward)).map(withoutTime)).toEqual(before.map(withoutTime))
    expect(readdirSync(ward.path('world'))).toContain('r\u00e9sum\u00e9.md')
    expect(existsSync(ward.path(`${ENTRIES}/cafe\u0301.md`))).toBe(false)
  })
})

describe('a transcript', () => {
  it('keeps every whole line, gets an end where only that is missing, and is not cut after a person', async () => {
    const ward = await Ward.healthy()
    const sessions = 'agents/main/sessions'
    const whole = ward.read(`${sessions}/chat.jsonl`)
    ward.write(`${sessions}/torn.jsonl`, `${whole}{"role":"us`)
    ward.write(`${sessions}/unended.jsonl`, whole.trimEnd())
    ward.write(`${sessions}/nuls.jsonl`, `${whole}\0\0\0\0\0`)
    ward.write(`${sessions}/words.jsonl`, `${whole}a person wrote this`)
    const { examination } = await ward.mend()
    expect(ward.read(`${sessions}/torn.jsonl`)).toBe(whole)
    expect(ward.read(`${sessions}/unended.jsonl`)).toBe(whole)
    expect(ward.read(`${sessions}/nuls.jsonl`)).toBe(whole)
    expect(ward.read(`${sessions}/words.jsonl`)).toBe(`${whole}a person wrote this`)
    expect(examination.findings).toMatchObject([{ code: 'broken-session-line', path: `${sessions}/words.jsonl` }])
  })
})

describe('the mirror', () => {
  it('is only ever added to', async () => {
    const ward = await Ward.healthy()
    ward.write('agents/main/HISTORY.md', 'A line by hand.\n')
    await ward.mend()
    const text = ward.read('agents/main/HISTORY.md')
    expect(text.startsWith('A line by hand.\n')).toBe(true)
    expect(text).toContain('October.')
    expect(text).toContain('November.')
    expect((await ward.examine()).findings).toEqual([])
  })
})

describe('the backup before mending', () => {
  it('holds what was there before', async () => {
    const ward = await Ward.healthy()
    ward.write(
      'agents/main/sessions/torn.jsonl',
      '{"key":"torn","createdAt":"2026-11-15T00:00:00.000Z"}\n{"role":"unheard',
    )
    const { backup = '' } = await ward.mend()
    expect(backup).toMatch(/\.state\/backups\/before-fix-[^/]*\.tgz$/)
    expect(gunzipSync(readFileSync(backup)).includes('{"role":"unheard')).toBe(true)
  })
})
