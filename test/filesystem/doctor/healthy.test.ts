import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CODES, FILE_CODES, SERVER_CODES } from '../../../src/stores/disk/doctor/codes.ts'
import { ADDITIONS, Ward } from './ward.ts'

describe('a healthy workspace', () => {
  it('has nothing wrong, and it is told what was looked at', async () => {
    const ward = await Ward.healthy()
    const before = ward.hash()
    const { findings, checked } = await ward.examine()
    expect(findings).toEqual([])
    expect(checked).toMatchObject({ entries: ADDITIONS.length, sessions: 1 })
    expect(checked.changes).toBeGreaterThan(5)
    expect(checked.files).toBeGreaterThan(12)
    expect(ward.hash()).toBe(before)
  })

  it('has nothing to mend, so no backup is made', async () => {
    const ward = await Ward.healthy()
    const before = ward.hash()
    expect(await ward.mend()).toMatchObject({ mended: [], warnings: [] })
    expect(ward.hash()).toBe(before)
  })

  it('says so through an open store too', async () => {
    const ward = await Ward.healthy()
    const store = ward.open()
    expect((await store.examine()).findings).toEqual([])
    await store.close()
    await expect(store.examine()).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('is healthy without .state as well, as a clone is', async () => {
    const ward = await Ward.healthy()
    rmSync(ward.path('.state'), { recursive: true })
    expect((await ward.examine()).findings).toEqual([])
  })

  it('is healthy in a flat layout, among files that are not ours, with its identity outside', async () => {
    const ward = new Ward()
    const identityPath = join(ward.folder, 'Crab.md')
    const store = ward.open({ layout: 'flat', identityPath })
    await store.apply({
      operations: ADDITIONS.filter(({ scope }) => scope === 'main'),
      origin: { by: 'agent', agent: 'main' },
    })
    await store.close()
    ward.write('src/NUL.md', 'not ours')
    ward.write('.git/HEAD~', 'not ours')
    const { findings, checked } = await ward.examine({ identityPath })
    expect(findings).toEqual([])
    expect(checked.entries).toBe(ADDITIONS.length - 1)
    expect((await ward.examine({ agent: 'other', identityPath })).findings).toMatchObject([
      { code: 'settings-differ', problem: 'agent is "main", asked for is "other"' },
    ])
  })

  it('tells how far it is', async () => {
    const ward = await Ward.healthy()
    for (let n = 0; n < 600; n++) ward.write(`agents/main/entries/n${n}.md`, `Note ${n}.\n`)
    const told: string[] = []
    const store = ward.open()
    await store.examine((done, total) => told.push(`${done}/${total}`))
    await store.close()
    expect(told.length).toBeGreaterThan(2)
    expect(told.at(-1)).toMatch(/^(\d+)\/\1$/)
  })
})

describe('what is asked for', () => {
  it('is compared with all that is pinned', async () => {
    const ward = await Ward.healthy()
    expect((await ward.examine({ retentionMb: 7 })).findings).toMatchObject([
      { code: 'settings-differ', problem: 'retention_mb is "512", asked for is "7"' },
    ])
  })
})

describe('docs/doctor.md', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../../docs/doctor.md'), 'utf8')

  it.each([...Object.entries(CODES), ...Object.entries(FILE_CODES), ...Object.entries(SERVER_CODES)])(
    'explains %s as it is in the table',
    (code, rule) => {
      expect(text).toContain(`| \`${code}\` | ${rule.severity} | ${rule.fixable ? 'yes' : 'no'} |`)
    },
  )

  it('explains no code that is not there', () => {
    const told = [...text.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map((match) => match[1])
    const known = [CODES, FILE_CODES, SERVER_CODES].flatMap((codes) => Object.keys(codes))
    expect(new Set(told)).toEqual(new Set(known))
  })
})
