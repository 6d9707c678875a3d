import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { answer } from '../../src/cli/answer.ts'
import { differentFiles } from '../move/lived-in-folder.ts'
import { jsonHere, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

let desk: Desk

beforeEach(async () => {
  desk = await Desk.furnished()
  sitDownAt(desk)
  await ask(['session', 'append', 'chat', 'Good morning', '--role', 'user'])
  desk.edit('directives/memory.md', 'Keep what matters.\n')
  desk.edit('world/By hand.md', 'a hand wrote this')
})

async function ask(args: readonly string[]): Promise<Printed> {
  const said = await jsonHere(args)
  if (said.status !== 0) throw new Error(`${args.join(' ')}: ${said.error.message}`)
  return said
}

function writeByHand(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'By hand.md'), 'a hand wrote this')
}

async function words(args: readonly string[]): Promise<string> {
  return (await answer(args)).text
}

describe('keepsake move', () => {
  it('copies the memory to one file, which answers as the folder does', async () => {
    const text = await words(['move', '--to', 'memory.keepsake'])
    expect(text).toBe(
      [
        'Moved the memory to memory.keepsake',
        '  entries     5',
        '  changes     5',
        '  sessions    1',
        '  kept files  2',
        'Both sides were compared: they are equal.',
        '.keepsake stays as it is, and is still what commands use here. To use the new one, write in a new agent.yaml:',
        '  spec:',
        '    memory:',
        '      backend: file',
        `      workspace: ${join(desk.folder, 'memory.keepsake')}`,
      ].join('\n'),
    )
    const moved = ['--workspace', 'memory.keepsake']
    for (const verb of [['list'], ['show', 'releases'], ['session', 'show', 'chat'], ['log']]) {
      expect(withoutPaths(await ask([...verb, ...moved])), verb.join(' ')).toEqual(withoutPaths(await ask(verb)))
    }
    expect((await ask(['rename', 'Deploys', 'Release checklist', ...moved])).status).toBe(0)
    expect((await ask(['show', 'Deploys', ...moved])).entry.name).toBe('Release checklist')
    expect((await ask(['show', 'Deploys'])).entry.name).toBe('Deploys')
  })

  it('comes back as the folder that it was, to the byte', async () => {
    await ask(['move', '--to', 'memory.keepsake'])
    const back = await ask(['move', '--to', 'back', '--workspace', 'memory.keepsake'])
    expect(back).toMatchObject({ entries: 5, changes: 5, sessions: 1, files: 2 })
    expect(back).toMatchObject({ from: join(desk.folder, 'memory.keepsake'), to: join(desk.folder, 'back') })
    expect(differentFiles(join(desk.folder, 'back'), desk.workspace)).toEqual([])
  })

  it('does nothing the second time, and refuses what is another memory', async () => {
    await ask(['move', '--to', 'memory.keepsake'])
    const bytes = readFileSync(join(desk.folder, 'memory.keepsake'))
    expect(await ask(['move', '--to', 'memory.keepsake'])).toMatchObject({ alreadyThere: true, entries: 5 })
    expect(await words(['move', '--to', 'memory.keepsake'])).toMatch(/^memory.keepsake holds this memory already/)
    await ask(['remember', 'more'])
    const refused = await jsonHere(['move', '--to', 'memory.keepsake'])
    expect([refused.status, refused.error.code]).toEqual([4, 'CONFLICT'])
    expect(refused.error.message).toContain('not this memory: the last change is')
    expect(readFileSync(join(desk.folder, 'memory.keepsake'))).toEqual(bytes)
  })

  it('only tells with --dry-run', async () => {
    await ask(['log'])
    const before = desk.hash()
    const would = { entries: 5, changes: 5, sessions: 1, files: 2, dryRun: true }
    expect(await ask(['move', '--to', 'memory.keepsake', '--dry-run'])).toMatchObject(would)
    expect(desk.hash()).toBe(before)
    await ask(['move', '--to', 'memory.keepsake'])
    expect(await ask(['move', '--to', 'memory.keepsake', '--dry-run'])).toMatchObject({ ...would, alreadyThere: true })
    await ask(['remember', 'more'])
    const differs = await ask(['move', '--to', 'memory.keepsake', '--dry-run'])
    expect([differs.alreadyThere, differs.differences[0]]).toEqual([false, 'the last change is 6 here and 5 there'])
  })

  it.each([
    ['no target', [], 'move needs --to TARGET'],
    ['itself', ['--to', '.keepsake'], 'is the memory that is copied'],
    ['a place inside of itself', ['--to', '.keepsake/x.keepsake'], 'lies inside of'],
    ['a server that is not there', ['--to', 'chroma://127.0.0.1:9', '--without-history'], "can't be reached"],
    ['an address with a password', ['--to', 'chroma://me:hunter2@localhost'], 'no password'],
    ['a foreign file', ['--to', 'foreign.keepsake'], 'foreign.keepsake'],
    ['a folder of something else', ['--to', 'full'], 'full'],
  ])('refuses %s, and changes nothing', async (_, args, message) => {
    await ask(['log'])
    writeFileSync(join(desk.folder, 'foreign.keepsake'), 'something else, long enough to be read as a header'.repeat(9))
    mkdirSync(join(desk.folder, 'full'))
    writeFileSync(join(desk.folder, 'full/letter.txt'), 'dear')
    const before = desk.hash()
    const refused = await jsonHere(['move', ...args])
    expect(refused.status).not.toBe(0)
    expect(refused.error.message).toContain(message)
    expect(refused.error.hint).not.toBe('')
    expect(desk.hash()).toBe(before)
  })

  it.each([
    ['a folder', 'never-made', 'copy'],
    ['a folder', 'never-made', 'copy.keepsake'],
    ['a folder, to a server', 'never-made', 'chroma://127.0.0.1:9'],
    ['an empty folder', 'empty', 'copy.keepsake'],
    ['a file', 'never-made.keepsake', 'copy'],
  ])('moves nothing from %s where no memory was made: %s', async (_, workspace, to) => {
    mkdirSync(join(desk.folder, 'empty'))
    const before = desk.hash()
    for (const more of [[], ['--dry-run']]) {
      const refused = await jsonHere(['move', '--to', to, '--workspace', workspace, ...more])
      const message = `there is no memory at ${join(desk.folder, workspace)}`
      expect([refused.status, refused.error]).toMatchObject([3, { code: 'NOT_FOUND', message }])
      expect(refused.error.hint).toContain('--workspace')
    }
    expect(desk.hash()).toBe(before)
  })

  it.each([
    ['that was made and is empty', async () => void (await ask(['init', '--workspace', 'source'])), 0],
    ['that a hand began', async () => writeByHand(join(desk.folder, 'source/world')), 1],
  ])('moves a memory %s', async (_, make, entries) => {
    await make()
    expect(await ask(['move', '--to', 'copy.keepsake', '--workspace', 'source'])).toMatchObject({ entries })
  })

  it('says how to name the copy in the agent.yaml that counts', async () => {
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec:\n  memory:\n    workspace: .keepsake\n')
    mkdirSync(join(desk.folder, 'my shelf'))
    const text = await words(['move', '--to', 'my shelf/memory.keepsake'])
    expect(text).toContain('write in agent.yaml:\n  spec:\n    memory:\n      backend: file\n')
    expect(text).toContain('workspace: "my shelf/memory.keepsake"')
    expect(text).not.toContain('identity_file')
  })

  it('says that an identity which lay outside is in the copy, and that its line must go', async () => {
    const lines = ['spec:', '  memory:', '    workspace: .keepsake', '    identity_file: ../outside/ME.md', '']
    mkdirSync(join(desk.folder, 'outside'))
    writeFileSync(join(desk.folder, 'outside/ME.md'), 'I am Ada.')
    writeFileSync(join(desk.folder, 'agent.yaml'), lines.join('\n').replace('../outside', join(desk.folder, 'outside')))
    const text = await words(['move', '--to', 'memory.keepsake'])
    expect(text).toMatch(/And take the line identity_file out of it: the identity is in memory\.keepsake now\.$/)
    writeFileSync(
      join(desk.folder, 'agent.yaml'),
      'spec:\n  memory:\n    backend: file\n    workspace: memory.keepsake\n',
    )
    expect(await ask(['show', 'IDENTITY'])).toMatchObject({ entry: { content: 'I am Ada.' } })
  })
})

describe('keepsake export', () => {
  it('writes the folder of a memory in one file, without our own state, and it opens in place', async () => {
    await ask(['move', '--to', 'memory.keepsake'])
    const exported = await ask(['export', 'out/notes', '--workspace', 'memory.keepsake'])
    expect(exported).toMatchObject({ folder: join(desk.folder, 'out/notes'), entries: 5, sessions: 1 })
    expect(readdirSync(join(desk.folder, 'out'))).toEqual(['notes'])
    const written = readdirSync(join(desk.folder, 'out/notes'), { recursive: true, withFileTypes: true })
    expect(exported.files).toBe(written.filter((file) => file.isFile()).length)
    expect(existsSync(join(desk.folder, 'out/notes/.state'))).toBe(false)
    expect(differentFiles(join(desk.folder, 'out/notes'), desk.workspace)).toEqual([])
    const names = async (...args: string[]): Promise<string[]> =>
      (await ask(['list', ...args])).entries.map(({ id }: { id: string }) => id).sort()
    expect(await names('--workspace', 'out/notes')).toEqual(await names())
  })

  it('is equal to the folder that it is taken from, and can be taken into another memory and out again', async () => {
    await ask(['export', 'notes'])
    expect(differentFiles(join(desk.folder, 'notes'), desk.workspace)).toEqual([])
    expect(await ask(['import', 'folder', 'notes', '--workspace', 'other.keepsake'])).toMatchObject({
      whole: true,
      new: 5,
    })
    await ask(['export', 'again', '--workspace', 'other.keepsake'])
    expect(differentFiles(join(desk.folder, 'again'), desk.workspace)).toEqual([])
  })

  it('goes into an empty folder, and into no other', async () => {
    mkdirSync(join(desk.folder, 'empty'))
    await ask(['export', 'empty'])
    const before = desk.hash()
    for (const place of ['empty', 'empty/keepsake.yaml']) {
      const refused = await jsonHere(['export', place])
      expect([refused.status, refused.error.code]).toEqual([4, 'CONFLICT'])
    }
    expect(desk.hash()).toBe(before)
  })

  it('does not go into the memory itself', async () => {
    const before = desk.hash()
    const refused = await jsonHere(['export', '.keepsake/world/out'])
    expect([refused.error.code, refused.error.message]).toEqual(['INVALID', expect.stringContaining('lies inside of')])
    expect(desk.hash()).toBe(before)
  })

  it('touches nothing beside it that is not its own, and leaves nothing when it fails', async () => {
    mkdirSync(join(desk.folder, 'out/.notes.exporting'), { recursive: true })
    writeFileSync(join(desk.folder, 'out/.notes.exporting/mine.txt'), 'mine')
    await ask(['export', 'out/notes'])
    expect(readFileSync(join(desk.folder, 'out/.notes.exporting/mine.txt'), 'utf8')).toBe('mine')
    writeFileSync(join(desk.workspace, 'agents/main/entries/deploys.md'), Buffer.from([0x61, 0xff]))
    expect((await jsonHere(['export', 'out/more'])).error.code).toBe('DAMAGED')
    expect(readdirSync(join(desk.folder, 'out')).sort()).toEqual(['.notes.exporting', 'notes'])
  })
})

describe('keepsake import folder', () => {
  it.each(['made', 'made.keepsake'])('says before what it does after init: %s', async (name) => {
    await ask(['export', 'notes'])
    await ask(['init', '--workspace', name])
    const settings = (await ask(['config', '--workspace', name])) as unknown
    const would = await ask(['import', 'folder', 'notes', '--dry-run', '--workspace', name])
    const did = await ask(['import', 'folder', 'notes', '--workspace', name])
    expect(would).toMatchObject({ whole: false, new: 5 })
    expect({ ...did, dryRun: true, changes: [] }).toEqual(would)
    expect((await ask(['config', '--workspace', name])) as unknown).toEqual(settings)
  })
})

/** Where an entry stands is a courtesy of stores that have files. */
function withoutPaths(printed: Printed): Printed {
  return JSON.parse(JSON.stringify(printed, (key, value) => (key === 'path' ? undefined : value)))
}
