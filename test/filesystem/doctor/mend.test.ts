/** What mending does to ids, times and texts, beyond making the finding go away. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../../src/model/entry.ts'
import { SITUATIONS } from './situations.ts'
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
    const chat = ward.read(`${sessions}/chat.jsonl`)
    const of = (key: string): string => chat.replace('"chat"', `"${key}"`)
    ward.write(`${sessions}/torn.jsonl`, `${of('torn')}{"role":"us`)
    ward.write(`${sessions}/unended.jsonl`, of('unended').trimEnd())
    ward.write(`${sessions}/nuls.jsonl`, `${of('nuls')}\0\0\0\0\0`)
    ward.write(`${sessions}/words.jsonl`, `${of('words')}a person wrote this`)
    const { examination } = await ward.mend()
    expect(ward.read(`${sessions}/torn.jsonl`)).toBe(of('torn'))
    expect(ward.read(`${sessions}/unended.jsonl`)).toBe(of('unended'))
    expect(ward.read(`${sessions}/nuls.jsonl`)).toBe(of('nuls'))
    expect(ward.read(`${sessions}/words.jsonl`)).toBe(`${of('words')}a person wrote this`)
    expect(examination.findings).toMatchObject([{ code: 'broken-session-line', path: `${sessions}/words.jsonl` }])
  })
})

describe('what is cut off a transcript', () => {
  const sessions = 'agents/main/sessions'

  it('is only what reaches the end of the file, and is kept aside', async () => {
    const ward = await Ward.healthy()
    const whole = ward.read(`${sessions}/chat.jsonl`).replace('"chat"', '"holed"')
    const [meta = '', ...lines] = whole.trimEnd().split('\n')
    const holed = `${meta}\n\0\0\0\n${lines.join('\n')}\n`
    ward.write(`${sessions}/holed.jsonl`, `${holed}{"role":"us\0\0`)
    ward.write(`${sessions}/begun.jsonl`, '{"key":"begun","crea')
    ward.write(`${sessions}/mine.jsonl`, '{"note": "half a line by h')
    ward.write(`${sessions}/words.jsonl`, 'a person wrote this')
    const { examination } = await ward.mend()
    expect(ward.read(`${sessions}/holed.jsonl`)).toBe(holed)
    expect(existsSync(ward.path(`${sessions}/begun.jsonl`))).toBe(false)
    expect(ward.read(`${sessions}/mine.jsonl`)).toBe('{"note": "half a line by h')
    expect(ward.read(`${sessions}/words.jsonl`)).toBe('a person wrote this')
    const [time] = readdirSync(ward.path('.state/aside'))
    expect(ward.read(`.state/aside/${time}/${sessions}/holed.jsonl`)).toBe('{"role":"us\0\0')
    expect(ward.read(`.state/aside/${time}/${sessions}/begun.jsonl`)).toBe('{"key":"begun","crea')
    expect(examination.findings.map(({ code, path }) => [code, path])).toEqual([
      ['broken-session-line', `${sessions}/holed.jsonl`],
      ['broken-session', `${sessions}/mine.jsonl`],
      ['broken-session', `${sessions}/words.jsonl`],
    ])
  })

  it('is the same for the next append', async () => {
    const ward = await Ward.healthy()
    const [meta = '', ...lines] = ward.read(`${sessions}/chat.jsonl`).trimEnd().split('\n')
    const holed = `${meta}\n\0\0\0\n${lines.join('\n')}\n`
    ward.write(`${sessions}/chat.jsonl`, `${holed}{"role":"us\0\0`)
    const store = ward.open()
    await store.sessions.append('main', 'chat', [{ role: 'user', text: 'again' }])
    await store.close()
    expect(ward.read(`${sessions}/chat.jsonl`)).toBe(`${holed}{"role":"user","text":"again"}\n`)
  })
})

describe('outside of the workspace', () => {
  it('nothing is removed, whatever it is called', async () => {
    const ward = await Ward.healthy()
    const identityPath = join(ward.folder, 'Crab.md')
    const names = ['0123456789abcdef', 'fedcba9876543210', '.Crab.md.keepsake-swap']
    for (const name of names) {
      writeFileSync(join(ward.folder, name), 'mine')
      ward.age(join(ward.folder, name))
    }
    ward.write('.state/tmp/0123456789abcdef', 'half a te')
    ward.age(ward.path('.state/tmp/0123456789abcdef'))
    const { mended, examination } = await ward.mend({ identityPath })
    expect(mended.map(({ path }) => path)).toEqual(['.state/tmp/0123456789abcdef'])
    expect(examination.findings.map(({ code, fixable }) => [code, fixable])).toEqual([['identity-leftover', false]])
    for (const name of names) expect(readFileSync(join(ward.folder, name), 'utf8')).toBe('mine')
  })
})

describe('settings that are gone', () => {
  it('are not made anew by mending, and the lines to write are shown', async () => {
    const ward = await Ward.healthy()
    const id = /^id: (.*)$/m.exec(ward.read('keepsake.yaml'))?.[1]
    unlinkSync(ward.path('keepsake.yaml'))
    chmodSync(ward.path(`${ENTRIES}/port.md`), 0o644)
    const before = ward.hash()
    const { mended, examination, backup, warnings } = await ward.mend()
    expect([mended, backup]).toEqual([[], undefined])
    expect(warnings).toEqual([expect.stringMatching(/^nothing was mended, for keepsake\.yaml is gone/)])
    expect(examination.findings[0]).toMatchObject({
      code: 'settings-missing',
      hint: expect.stringContaining(`id: ${id}`),
    })
    expect(ward.hash()).toBe(before)
  })
})

describe('modes', () => {
  it('are left alone where a flat workspace lies among files that are not ours', async () => {
    const ward = new Ward()
    const store = ward.open({ layout: 'flat' })
    const memory = { op: 'add', scope: 'main', kind: 'memory', content: 'Short answers.' } as const
    await store.apply({ operations: [memory], origin: { by: 'agent', agent: 'main' } })
    await store.close()
    ward.write('package.json', '{}')
    ward.write('deploy.sh', 'make ship\n')
    for (const [name, mode] of [
      ['package.json', 0o644],
      ['deploy.sh', 0o755],
      ['MEMORY.md', 0o644],
      ['.', 0o755],
    ] as const) {
      chmodSync(ward.path(name), mode)
    }
    const { mended } = await ward.mend()
    expect(mended.map(({ path }) => path)).toEqual(['MEMORY.md'])
    const modes = ['package.json', 'deploy.sh', 'MEMORY.md', '.'].map((name) => statSync(ward.path(name)).mode & 0o777)
    expect(modes).toEqual([0o644, 0o755, 0o600, 0o755])
  })

  it('are mended at the root also when a link leads there', async () => {
    const ward = await Ward.healthy()
    renameSync(ward.root, `${ward.folder}/real`)
    symlinkSync('real', ward.root)
    chmodSync(`${ward.folder}/real`, 0o755)
    expect((await ward.examine()).findings).toMatchObject([{ code: 'readable-by-others', path: '.' }])
    await ward.mend()
    expect(statSync(ward.root).mode & 0o777).toBe(0o700)
  })

  it('of what was moved aside are as a person set them, and no finding', async () => {
    const ward = await Ward.healthy()
    for (const folder of ['displaced', 'swap']) {
      ward.write(`.state/${folder}/0123`, 'x')
      chmodSync(ward.path(`.state/${folder}/0123`), 0o644)
    }
    expect((await ward.examine()).findings).toEqual([])
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

  it('is filled again after somebody emptied it', async () => {
    const ward = await Ward.healthy()
    ward.write('agents/main/HISTORY.md', '')
    expect((await ward.examine()).findings.map(({ code }) => code)).toEqual(['mirror-behind'])
    await ward.mend()
    expect(ward.read('agents/main/HISTORY.md')).toMatch(/October\.[\s\S]*November\./)
  })
})

describe('the copy before fixing', () => {
  it('has the folder as it was before crash recovery, and only the owner can read it', async () => {
    const ward = await Ward.healthy()
    await SITUATIONS['unwritten-file'].make(ward)
    appendFileSync(ward.path(ward.segment), '0123456789abcdef {"torn":')
    chmodSync(ward.path(`${ENTRIES}/port.md`), 0o644)
    symlinkSync('/etc', ward.path('world/etc'))
    const before = new Map([`${ENTRIES}/deploys.md`, ward.segment].map((path) => [path, ward.read(path)]))
    const { backup = '', mended } = await ward.mend()
    expect(mended.map(({ code }) => code)).toEqual(expect.arrayContaining(['torn-journal', 'unwritten-file']))
    expect(ward.read(`${ENTRIES}/deploys.md`)).toContain('twice')
    expect(backup).toMatch(/\/ws\.before-fix-\d{4}-\d\d-\d\dT[\d.]+Z$/)
    expect(backup).toContain(ward.root)
    for (const [path, text] of before) expect(readFileSync(join(backup, path), 'utf8')).toBe(text)
    expect(existsSync(join(backup, 'world/etc'))).toBe(false)
    const modes = ['', `${ENTRIES}/port.md`].map((path) => statSync(join(backup, path)).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600])
  })
})
