/** Every verb on a memory in one file: they do what they do on a folder, and name no files. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answer } from '../../src/cli/answer.ts'
import { jsonHere, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

const FILE = 'memory.keepsake'

function on(...args: readonly string[]): Promise<Printed> {
  return jsonHere([...args, '--workspace', FILE])
}

async function textOf(...args: readonly string[]): Promise<string> {
  return (await answer([...args, '--workspace', FILE])).text
}

describe('a memory in one file', () => {
  let desk: Desk
  beforeEach(() => {
    desk = new Desk()
    sitDownAt(desk)
  })

  it('is not made by reading, and is made once by init', async () => {
    for (const reading of [['list'], ['recall', 'anything']]) {
      expect(await on(...reading)).toMatchObject({ status: 3, error: { code: 'NOT_FOUND' } })
    }
    expect(readdirSync(desk.folder)).toEqual([])
    const first = await on('init', '--timezone', 'Europe/Berlin')
    expect(first).toMatchObject({ workspace: join(desk.folder, FILE), created: true })
    expect(await on('init')).toMatchObject({ created: false, settings: { id: first.settings.id } })
    expect(await textOf('init')).not.toContain('keepsake.yaml')
    expect(statSync(join(desk.folder, FILE)).mode & 0o777).toBe(0o600)
    expect((await on('init', '--layout', 'flat')).error.message).toContain(`${FILE} says "agents"`)
    expect(readdirSync(desk.folder).sort()).toEqual(['home', FILE])
  })

  it('is told by doctor --fix --dry-run what would happen to it: small things take no copy', async () => {
    await on('init')
    chmodSync(join(desk.folder, FILE), 0o644)
    expect(await textOf('doctor', '--fix', '--dry-run')).toMatch(/^Would fix\n.*\[file-readable\]/)
  })

  it('is written, renamed, searched, forgotten and taken back as a folder is', async () => {
    await on('remember', 'Run make ship.', '--name', 'Deploy checklist')
    await on('rename', 'Deploy checklist', 'Release checklist')
    await on('alias', 'Release checklist', 'shipping')
    await on('learn', 'Staging server', 'Its name is heron.')
    await on('reflect', 'I know a lot.')
    const { entry } = await on('show', 'Deploy checklist')
    expect(entry).toMatchObject({ name: 'Release checklist', aliases: ['Deploy checklist', 'shipping'] })
    expect(entry).not.toHaveProperty('path')
    const shown = [await textOf('show', 'shipping'), await textOf('list'), await textOf('recall', 'heron')].join('\n')
    expect(shown).toContain('Release checklist')
    expect(shown).not.toMatch(/\.md|memory\.keepsake/)
    expect((await on('recall', 'heron')).hits).toHaveLength(1)
    expect((await on('blame', 'shipping')).lines).toMatchObject([{ line: 'Run make ship.' }])
    expect((await on('forget', 'Staging server', '--yes')).status).toBe(0)
    expect((await on('recall', 'heron')).hits).toHaveLength(0)
    expect((await on('undo')).status).toBe(0)
    expect((await on('recall', 'heron')).hits).toHaveLength(1)
    expect((await on('log')).changes).toHaveLength(7)
    expect((await on('list', '--as-of', '2001-01-01')).entries).toEqual([])
    expect((await on('list', '--as-of', 'now')).entries).toHaveLength(3)
    expect(await on('accept')).toMatchObject({ accepted: 0 })
    expect((await on('cleanup')).status).toBe(0)
  })

  it('holds sessions, and says which agent has one', async () => {
    await on('remember', 'a note of main', '--name', 'Note')
    await on('session', 'append', 'talk', '--role', 'user', 'hello')
    await on('session', 'append', 'talk', '--role', 'assistant', 'hi')
    expect((await on('session', 'show', 'talk')).session.turns).toHaveLength(2)
    expect(await on('session', 'compact', 'talk', '--summary', 'we said hello')).toMatchObject({ status: 0 })
    expect((await on('show', 'talk-1')).entry).toMatchObject({ kind: 'archive', content: 'we said hello' })
    await on('remember', 'a note of scout', '--agent', 'scout')
    const { error } = await on('session', 'show', 'talk', '--agent', 'scout')
    expect(error).toMatchObject({ code: 'NOT_FOUND', hint: 'Another agent has it: --agent main' })
  })

  it('keeps nothing of what is purged', async () => {
    await on('remember', 'the secret word is xylophone', '--name', 'Secret')
    await on('remember', 'nothing special', '--name', 'Other')
    expect((await on('forget', 'Secret', '--purge', '--yes')).status).toBe(0)
    const { entries } = await on('list')
    expect(entries).toMatchObject([{ name: 'Other' }])
    expect(readFileSync(join(desk.folder, FILE)).includes('xylophone')).toBe(false)
  })

  it('is told by doctor when agent.yaml asks for what other commands refuse', async () => {
    await on('init', '--timezone', 'Europe/Berlin')
    const lines = ['spec:', '  memory:', '    backend: file', `    workspace: ${FILE}`, '    timezone: Pacific/Chatham']
    writeFileSync(join(desk.folder, 'agent.yaml'), `${lines.join('\n')}\n`)
    expect((await jsonHere(['list'])).error.code).toBe('INVALID')
    for (const args of [['doctor'], ['doctor', '--fix']]) {
      expect((await jsonHere(args)).problems).toMatchObject([
        { code: 'settings-differ', problem: 'timezone is "Europe/Berlin", asked for is "Pacific/Chatham"' },
      ])
    }
  })

  it('is what agent.yaml says, and config tells what it was made with', async () => {
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec: { memory: { backend: file, timezone: Asia/Kolkata } }')
    expect((await jsonHere(['remember', 'x'])).status).toBe(0)
    const { config, files } = await jsonHere(['config'])
    expect(config).toMatchObject({
      backend: { value: 'file', source: 'agent.yaml:1' },
      timezone: { value: 'Asia/Kolkata', source: FILE },
      retention_days: { value: 90, source: FILE },
    })
    expect(files.settings).toBe(join(desk.folder, FILE))
  })
})

describe('what is not a memory in one file', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = new Desk()
    sitDownAt(desk)
    await on('remember', 'x')
    writeFileSync('foreign.keepsake', 'my own notes')
    writeFileSync('empty.keepsake', '')
    symlinkSync(FILE, 'link.keepsake')
    symlinkSync('not-mounted', 'nowhere.keepsake')
    mkdirSync('notes')
    writeFileSync('as-file.yaml', 'spec: { memory: { backend: file, workspace: notes } }')
    writeFileSync('as-folder.yaml', `spec: { memory: { backend: filesystem, workspace: ${FILE} } }`)
  })

  it.each([
    [['--workspace', 'foreign.keepsake'], 'FOREIGN', /this is not a Keepsake file$/],
    [['--workspace', 'empty.keepsake'], 'DAMAGED', /it is empty$/],
    [['--workspace', 'link.keepsake'], 'FOREIGN', /symbolic link/],
    [['--workspace', 'nowhere.keepsake'], 'FOREIGN', /symbolic link/],
    [['--config', 'as-file.yaml'], 'INVALID', /notes is a folder$/],
    [['--config', 'as-folder.yaml'], 'INVALID', /memory\.keepsake is not a folder$/],
  ])('%j is refused with its reason, and left as it is', async (where, code, says) => {
    const before = desk.hash()
    for (const args of [['list'], ['remember', 'y'], ['init'], ['backup', 'b.keepsake']]) {
      const { error } = await jsonHere([...args, ...where])
      expect(error).toMatchObject({ code, message: expect.stringMatching(says), hint: expect.stringMatching(/./) })
    }
    expect(desk.hash()).toBe(before)
  })

  it('a folder of that name is a folder, and a folder that is missing is made', async () => {
    mkdirSync('folder.keepsake')
    expect((await jsonHere(['remember', 'y', '--workspace', 'folder.keepsake'])).entry.path).toContain('agents/main/')
    expect((await jsonHere(['remember', 'y', '--workspace', 'deep/er/m.keepsake'])).status).toBe(0)
    expect(existsSync(join(desk.folder, 'deep/er/m.keepsake'))).toBe(true)
  })
})
