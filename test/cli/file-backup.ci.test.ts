/** Backup and restore of a memory in one file: whole copies, and nothing that was there is lost. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { jsonHere, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

const FILE = 'memory.keepsake'

let desk: Desk

beforeEach(async () => {
  desk = new Desk()
  sitDownAt(desk)
  await told(['remember', 'Run make ship.', '--name', 'Deploys'])
  await told(['session', 'append', 'talk', '--role', 'user', 'hello'])
})

function on(args: readonly string[]): Promise<Printed> {
  return jsonHere([...args, '--workspace', FILE])
}

async function told(args: readonly string[]): Promise<Printed> {
  const printed = await on(args)
  if (printed.status !== 0) throw new Error(`keepsake ${args.join(' ')}: ${printed.error.message}`)
  return printed
}

function at(name: string): string {
  return join(desk.folder, name)
}

describe('backup', () => {
  it('is a whole copy that can be used as it is', async () => {
    const { archive, entries, bytes, change } = await told(['backup', 'copy.keepsake'])
    expect([archive, entries, change]).toEqual([at('copy.keepsake'), 1, 1])
    expect([statSync(archive).size, statSync(archive).mode & 0o777]).toEqual([bytes, 0o600])
    expect(await jsonHere(['show', 'Deploys', '--workspace', archive])).toMatchObject({ entry: { name: 'Deploys' } })
    expect((await jsonHere(['session', 'list', '--workspace', archive])).sessions).toMatchObject([{ key: 'talk' }])
    expect(readdirSync(desk.folder).sort()).toEqual(['copy.keepsake', 'home', FILE])
  })

  it.each([
    [['backup', 'there.keepsake'], /there\.keepsake exists already$/, /--force/],
    [['backup', FILE, '--force'], /memory\.keepsake is the memory itself$/, /another name/],
    [['backup', 'folder', '--force'], /folder is there and is not a file$/, /another name/],
    [['backup', 'm.tgz'], /no archive$/, /\.keepsake/],
    [['backup', 'nowhere/copy.keepsake'], /there is no folder .*nowhere$/, /Make it first/],
  ])('%j is refused, and nothing is changed', async (args, says, hint) => {
    writeFileSync(at('there.keepsake'), 'mine')
    mkdirSync(at('folder'))
    const before = desk.hash()
    const { error } = await on(args)
    expect([error.message, error.hint]).toEqual([expect.stringMatching(says), expect.stringMatching(hint)])
    expect(desk.hash()).toBe(before)
  })

  it('of a folder is no memory in one file, and does not get the name of one', async () => {
    await jsonHere(['remember', 'x', '--workspace', 'folder'])
    const { error } = await jsonHere(['backup', 'copy.keepsake', '--workspace', 'folder'])
    expect([error.message, error.hint]).toEqual([
      expect.stringMatching(/folder is a folder, and its backup is an archive/),
      expect.stringMatching(/\.tar\.gz; .*keepsake move --to copy\.keepsake$/),
    ])
    expect(existsSync(at('copy.keepsake'))).toBe(false)
  })

  it('of a memory that was never there is a mistake in the path', async () => {
    const { error } = await jsonHere(['backup', 'copy.keepsake', '--workspace', 'typo.keepsake'])
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('typo.keepsake') })
    expect(existsSync(at('typo.keepsake'))).toBe(false)
  })

  it('replaces a file where that is forced', async () => {
    writeFileSync(at('there.keepsake'), 'mine')
    await told(['backup', 'there.keepsake', '--force'])
    expect((await jsonHere(['list', '--workspace', 'there.keepsake'])).entries).toHaveLength(1)
  })
})

describe('restore', () => {
  it('brings the copy back and keeps what was there', async () => {
    await told(['backup', 'copy.keepsake'])
    const copy = readFileSync(at('copy.keepsake'))
    await told(['remember', 'later', '--name', 'Later'])
    const later = readFileSync(at(FILE))
    expect(await on(['restore', 'copy.keepsake', '--dry-run'])).toMatchObject({ entries: 1, replaces: true })
    expect(readFileSync(at(FILE))).toEqual(later)
    const { error } = await on(['restore', 'copy.keepsake'])
    expect(error).toMatchObject({ code: 'INVALID', message: expect.stringContaining('1 entry as of change 1') })
    const { workspace, previous } = await told(['restore', 'copy.keepsake', '--yes'])
    expect([workspace, readFileSync(previous)]).toEqual([at(FILE), later])
    expect((await on(['list'])).entries).toMatchObject([{ name: 'Deploys' }])
    expect((await jsonHere(['list', '--workspace', previous])).entries).toHaveLength(2)
    expect((await on(['session', 'list'])).sessions).toMatchObject([{ key: 'talk' }])
    expect((await on(['log'])).changes).toHaveLength(1)
    expect(readFileSync(at('copy.keepsake'))).toEqual(copy)
    expect(readdirSync(desk.folder).filter((name) => /\.lock|\.restore/.test(name))).toEqual([])
  })

  it('tells whoever had the memory open to begin anew, although the numbers are the same again', async () => {
    await told(['backup', 'copy.keepsake'])
    const memory = await openMemory({ workspace: at(FILE), embed: 'none' })
    await memory.remember('a heron', { name: 'Later' })
    expect((await memory.search('heron')).hits).toHaveLength(1)
    await told(['restore', 'copy.keepsake', '--yes'])
    await told(['remember', 'a kestrel', '--name', 'Other'])
    expect((await memory.search('heron')).hits).toHaveLength(0)
    expect((await memory.search('kestrel')).hits).toHaveLength(1)
    await memory.remember('more', { name: 'More' })
    await memory.close()
    expect((await on(['list'])).entries).toHaveLength(3)
  })

  it('puts it where nothing is, and where what is there is damaged', async () => {
    await told(['backup', 'copy.keepsake'])
    rmSync(at(FILE))
    expect(await on(['restore', 'copy.keepsake', '--yes'])).not.toHaveProperty('previous')
    expect((await on(['list'])).entries).toHaveLength(1)
    writeFileSync(at(FILE), '')
    expect((await on(['list'])).error.code).toBe('DAMAGED')
    const { previous } = await told(['restore', 'copy.keepsake', '--yes'])
    expect(statSync(previous).size).toBe(0)
    expect((await on(['list'])).entries).toHaveLength(1)
  })

  it('of a damaged copy changes nothing', async () => {
    await told(['backup', 'copy.keepsake'])
    const bytes = readFileSync(at('copy.keepsake'))
    const text = bytes.indexOf('Run make ship.')
    expect(text).toBeGreaterThan(0)
    bytes[text] = (bytes[text] ?? 0) ^ 1
    writeFileSync(at('copy.keepsake'), bytes)
    const before = desk.hash()
    expect((await on(['restore', 'copy.keepsake', '--yes'])).error.code).toBe('DAMAGED')
    expect(desk.hash()).toBe(before)
  })

  it('replaces another memory only where that is named', async () => {
    await told(['backup', 'copy.keepsake'])
    await jsonHere(['init', '--workspace', 'other.keepsake'])
    writeFileSync(at('agent.yaml'), 'spec: { memory: { workspace: other.keepsake } }')
    const { error } = await jsonHere(['restore', 'copy.keepsake', '--yes'])
    expect(error).toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(/is another memory \(id /) })
    expect(await jsonHere(['restore', 'copy.keepsake', '--yes', '--workspace', 'other.keepsake'])).toMatchObject({
      entries: 1,
    })
  })

  it('says what to do where a folder and one file are mixed up, or something else is there', async () => {
    await told(['backup', 'copy.keepsake'])
    await jsonHere(['remember', 'x', '--workspace', 'folder'])
    await jsonHere(['backup', 'm.tgz', '--workspace', 'folder'])
    writeFileSync(at('mine.keepsake'), 'my own notes')
    symlinkSync(at(FILE), at('link.keepsake'))
    appendFileSync(at('junk'), 'junk')
    const before = desk.hash()
    const cases: [string, string, RegExp, RegExp][] = [
      ['copy.keepsake', 'folder', /is a memory in one file, and .*folder is a folder$/, /--workspace memory\.keepsake/],
      ['m.tgz', FILE, /m\.tgz is an archive of a folder, and .*is one file$/, /--workspace FOLDER/],
      ['copy.keepsake', 'mine.keepsake', /it is not a file of Keepsake$/, /Move it away/],
      ['copy.keepsake', 'link.keepsake', /link\.keepsake: it is not a file$/, /Move it away/],
      [FILE, FILE, /is the memory itself/, /keepsake backup/],
      ['junk', FILE, /junk: this is not a file of Keepsake$/, /./],
      ['nothing', FILE, /there is no file .*nothing$/, /./],
    ]
    for (const [backup, place, says, hint] of cases) {
      const { error } = await jsonHere(['restore', backup, '--yes', '--workspace', place])
      expect([error.message, error.hint]).toEqual([expect.stringMatching(says), expect.stringMatching(hint)])
    }
    expect(desk.hash()).toBe(before)
  })
})
