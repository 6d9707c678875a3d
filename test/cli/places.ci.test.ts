/** Where the memory is and whose, and what a command makes of a folder that it did not make itself. */
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeHeader, JOURNAL_VERSION } from '../../src/codec/journal-record.ts'
import { jsonAt, sitDownAt } from './in-this-process.ts'
import { Desk, MAIN, type Printed } from './keepsake.ts'

beforeAll(() => sitDownAt(new Desk()))

describe.concurrent('the workspace', () => {
  it('is the nearest .keepsake upward', async () => {
    const desk = await Desk.furnished()
    const below = join(desk.folder, 'a/b')
    mkdirSync(below, { recursive: true })
    expect((await desk.json(['show', 'Deploys'], { cwd: below })).entry.content).toBe('Run make ship.')
    expect((await desk.run(['remember', 'x'], { cwd: below })).stdout).toContain(
      `  file      ${desk.workspace}/agents/main/daily/`,
    )
  })

  it('is what the nearest agent.yaml says, unless a .keepsake is nearer', async () => {
    const desk = await Desk.furnished()
    desk.edit('../a/agent.yaml', 'spec: { memory: { workspace: notes } }')
    desk.edit('../a/b/.keepsake/MEMORY.md', 'Flat.\n')
    const used = async (path: string): Promise<string> =>
      (await desk.json(['config'], { cwd: join(desk.folder, path) })).workspace
    expect(await used('.')).toBe(desk.workspace)
    expect(await used('a')).toBe(join(desk.folder, 'a/notes'))
    expect(await used('a/b')).toBe(join(desk.folder, 'a/b/.keepsake'))
    desk.edit('../a/b/agent.yaml', 'spec: {}')
    expect(await used('a/b')).toBe(join(desk.folder, 'a/b/.keepsake'))
    expect((await desk.json(['reflect'], { cwd: join(desk.folder, 'a/b') })).entry.content).toBe('Flat.')
  })

  it('is the one in the home folder where there is none, made at the first write', async () => {
    const desk = new Desk()
    await desk.make(['remember', 'x'])
    expect(existsSync(join(desk.folder, 'home/.keepsake/keepsake.yaml'))).toBe(true)
  })

  it('is what the environment says, unless an option says otherwise', async () => {
    const desk = await Desk.furnished()
    const env = { KEEPSAKE_WORKSPACE: join(desk.folder, 'other'), KEEPSAKE_AGENT: 'scout' }
    expect((await desk.json(['init'], { env })).workspace).toBe(env.KEEPSAKE_WORKSPACE)
    expect((await desk.json(['remember', 'x'], { env })).entry).toMatchObject({ scope: 'scout' })
    expect((await desk.json(['list'], { env })).entries).toHaveLength(1)
    expect((await desk.json(['list', '--workspace', '.keepsake', '--agent', 'main'], { env })).entries).toHaveLength(4)
    expect((await desk.json(['list'], { env: { KEEPSAKE_WORKSPACE: '', KEEPSAKE_AGENT: '' } })).entries).toHaveLength(4)
  })

  it.each([
    ['before the command', ['--workspace', '.keepsake', '--agent', 'Main', 'list']],
    ['after it', ['list', '--workspace=.keepsake', '--agent=main']],
    ['both, the later one winning', ['--agent', 'scout', 'list', '--agent', 'main']],
  ])('and the agent can be named %s', async (_, args) => {
    const desk = await Desk.furnished()
    expect((await desk.json(args)).entries).toHaveLength(4)
  })

  it('may begin with a tilde', async () => {
    const desk = new Desk()
    expect((await desk.json(['init', '--workspace=~/notes'])).workspace).toBe(join(desk.folder, 'home/notes'))
  })
})

describe.concurrent('agents of one workspace', () => {
  it('share the world and nothing else', async () => {
    const desk = await Desk.furnished()
    await desk.make(['remember', 'mine', '--agent', 'scout', '--name', 'Deploys'])
    const names = (await desk.json(['list', '--agent', 'scout'])).entries.map((entry: Printed) => [
      entry.scope,
      entry.name,
    ])
    expect(names).toEqual([
      ['world', 'Staging server'],
      ['scout', 'Deploys'],
    ])
    expect((await desk.run(['recall', '--agent', 'scout'])).stdout).not.toContain('The staging server moved.')
  })
})

describe.concurrent('a folder made by hand, without .state', () => {
  const FILES: Readonly<Record<string, string>> = {
    'world/heron.md': 'The staging server.\n',
    'agents/main/MEMORY.md': '---\nnot front matter\n',
    'agents/main/daily/2026-03-01.md': '# 2026-03-01\n\n## 09:30\n\nSpring.\n',
    'agents/main/entries/deploys.md': '---\nname: Deploys\ndescription: How\ntags: [a, b]\n---\n\nShip it.\n',
    'agents/main/entries/plain.md': 'No front matter.\n',
  }

  function handMade(): Desk {
    const desk = new Desk()
    for (const [path, text] of Object.entries(FILES)) desk.edit(path, text)
    return desk
  }

  it('is read, and not written to', async () => {
    const desk = handMade()
    const before = desk.hash()
    const { status, stdout, stderr } = await desk.run(['recall', '--days', '3660'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('## heron\n\nThe staging server.')
    expect(stdout).toContain('# Your Memory\n\n---\nnot front matter')
    expect(stdout).toContain('Spring.')
    expect((await desk.run(['recall', '--days', '1'])).stdout).toContain(
      'None in these days; the last are of 2026-03-01.',
    )
    expect((await jsonAt(desk, ['show', 'deploys'])).entry).toMatchObject({
      name: 'Deploys',
      metadata: { tags: ['a', 'b'] },
    })
    expect((await jsonAt(desk, ['list'])).entries).toHaveLength(5)
    expect((await jsonAt(desk, ['learn', 'heron'])).entry.content).toBe('The staging server.')
    expect((await jsonAt(desk, ['reflect'])).entry.origin).toEqual({ by: 'hand' })
    expect(desk.hash()).toBe(before)
  })

  it('is written to with all that was there kept', async () => {
    const desk = handMade()
    await desk.make(['remember', 'Ship it now.', '--name', 'Deploys'])
    expect(readFileSync(join(desk.workspace, 'agents/main/entries/deploys.md'), 'utf8')).toMatch(
      /tags: \[a, b\]\n(.*\n)*Ship it now\./,
    )
    expect(readFileSync(join(desk.workspace, 'world/heron.md'), 'utf8')).toBe(FILES['world/heron.md'])
    expect((await jsonAt(desk, ['list'])).entries).toHaveLength(5)
  })

  it('of one agent, as other programs make it, is recognised as flat', async () => {
    const desk = new Desk()
    desk.edit('MEMORY.md', 'Flat.\n')
    expect((await jsonAt(desk, ['reflect'])).entry).toMatchObject({ content: 'Flat.', path: 'MEMORY.md' })
    expect(await jsonAt(desk, ['init'])).toMatchObject({ created: true, settings: { layout: 'flat' } })
  })
})

describe.concurrent('a workspace that is not for this program', () => {
  const id = '01a1e133-496c-70db-b1d6-41e6784225e9'
  const facts = {
    keepsake: 'journal',
    host: 'h',
    boot: 'b',
    epoch: id,
    inode: 1,
    at: '2026-03-14T09:26:53.589Z',
  } as const

  async function refused(spoil: (desk: Desk) => void, code: string, says: RegExp): Promise<void> {
    const desk = await Desk.furnished()
    spoil(desk)
    const before = desk.hash()
    for (const args of [['recall'], ['remember', 'x']]) {
      const { status, error } = await jsonAt(desk, args)
      expect([status, error?.code]).toEqual([1, code])
      expect(error.message).toMatch(says)
      expect(error.hint).not.toBe('')
    }
    expect(desk.hash()).toBe(before)
  }

  function settings(change: (text: string) => string): (desk: Desk) => void {
    return (desk) => desk.edit('keepsake.yaml', change(readFileSync(join(desk.workspace, 'keepsake.yaml'), 'utf8')))
  }

  function journal(bytes: Uint8Array | string): (desk: Desk) => void {
    return (desk) => {
      const [segment = ''] = readdirSync(join(desk.workspace, '.state/journal'))
      desk.edit(`.state/journal/${segment}`, bytes)
    }
  }

  it('is refused when its settings are of a newer format', () =>
    refused(
      settings((text) => text.replace('format: 1', 'format: 2')),
      'NEWER',
      /keepsake\.yaml has format 2; this program knows up to 1/,
    ))

  it("is refused when its settings are someone else's", () =>
    refused(
      settings(() => 'apiVersion: v1\nkind: Pod\n'),
      'FOREIGN',
      /keepsake\.yaml: it has no "format"/,
    ))

  it('is refused when its settings are damaged', () =>
    refused(
      settings((text) => text.replace(/^layout: .*$/m, 'layout: round')),
      'DAMAGED',
      /keepsake\.yaml: "layout" is "round"/,
    ))

  it('is refused when its settings are no text', () =>
    refused(
      (desk) => desk.edit('keepsake.yaml', new Uint8Array([0xff, 0xfe, 0])),
      'FOREIGN',
      /this is not a text file/,
    ))

  it('is refused when its journal is of a newer version', () =>
    refused(
      journal(encodeHeader({ ...facts, workspace: id, version: JOURNAL_VERSION + 1 })),
      'NEWER',
      /00000001-[0-9a-f]{8}\.jsonl has format 2; this program knows up to 1/,
    ))

  it('is refused when its journal belongs to another workspace', () =>
    refused(
      journal(encodeHeader({ ...facts, workspace: id, version: JOURNAL_VERSION })),
      'FOREIGN',
      new RegExp(`this journal belongs to workspace ${id}`),
    ))

  it('is refused when its journal is something else', () =>
    refused(journal('{"level":"info"}\n{"level":"warn"}\n'), 'FOREIGN', /this is not a journal of Keepsake/))
})

describe.concurrent('a clone without .state', () => {
  it('is the same memory', async () => {
    const desk = await Desk.furnished()
    const essence = ({ entries }: Printed): Printed =>
      entries.map(({ id, kind, name, aliases, content, revision }: Printed) => [
        id,
        kind,
        name,
        aliases,
        content,
        revision,
      ])
    const original = essence(await jsonAt(desk, ['list']))
    cpSync(desk.workspace, join(desk.folder, 'clone'), { recursive: true })
    rmSync(join(desk.folder, 'clone/.state'), { recursive: true })
    const clone = essence(await jsonAt(desk, ['list', '--workspace', join(desk.folder, 'clone')]))
    expect(clone.sort()).toEqual(original.sort())
  })
})

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

describe.concurrent('a folder that can not be written', () => {
  /** As root a mode forbids nothing, so the commands run as a user who owns nothing. */
  async function asReader(desk: Desk): Promise<{ readonly uid?: number }> {
    if (!isRoot) return {}
    const tried = await desk.run(['--version'], { uid: NOBODY, cwd: '/' }).catch(() => undefined)
    return tried?.status === 0 ? { uid: NOBODY } : {}
  }

  function setModes(folder: string, file: number, directory: number): void {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const stats = lstatSync(join(folder, name))
      if (!stats.isSymbolicLink()) chmodSync(join(folder, name), stats.isDirectory() ? directory : file)
    }
    chmodSync(folder, directory)
  }

  it('is read all the same, and writing says why it fails', async (test) => {
    const desk = await Desk.furnished()
    const reader = await asReader(desk)
    if (isRoot && reader.uid === undefined)
      test.skip(`SKIPPED: user ${NOBODY} can't run ${MAIN}, and root may write anywhere`)
    setModes(desk.folder, 0o444, 0o555)
    const before = desk.hash()
    expect(await desk.run(['recall'], reader)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('heron'),
      stderr: '',
    })
    expect((await desk.json(['list'], reader)).entries).toHaveLength(4)
    expect((await desk.json(['show', 'releases'], reader)).entry.content).toBe('Run make ship.')
    for (const args of [
      ['remember', 'x'],
      ['learn', 'T', 'x'],
      ['forget', 'Deploys', '--yes'],
      ['init', '--workspace', 'new'],
    ]) {
      expect(await desk.json(args, reader)).toMatchObject({ status: 1, error: { code: 'READ_ONLY' } })
    }
    expect((await desk.run(['remember', 'x'], reader)).stderr).toMatch(
      /^keepsake: .* can't be written: .*\nReading works\. /,
    )
    expect(desk.hash()).toBe(before)
    setModes(desk.folder, 0o600, 0o700)
  })
})

describe.concurrent('what is made', () => {
  it.each(['000', '077', '777'])('is private under umask %s', async (umask) => {
    const desk = new Desk()
    const workspace = join(desk.folder, 'deep/er/memory')
    for (const args of [['init'], ['remember', 'x'], ['remember', 'x', '--name', 'n'], ['learn', 'T', 'x']]) {
      const { status, stderr } = await desk.runUnder(umask, [...args, '--workspace', workspace])
      expect([status, stderr]).toEqual([0, ''])
    }
    const found = readdirSync(desk.folder, { recursive: true, encoding: 'utf8' })
      .map((name) => ({ name, stats: lstatSync(join(desk.folder, name)) }))
      .filter(({ stats }) => !stats.isSymbolicLink())
    expect(found.length).toBeGreaterThan(15)
    const modes = found.map(({ name, stats }) => [name, stats.isDirectory(), (stats.mode & 0o7777).toString(8)])
    expect(modes).toEqual(modes.map(([name, isFolder]) => [name, isFolder, isFolder ? '700' : '600']))
  })

  it('keeps the mode that a person gave a file', async () => {
    const desk = await Desk.furnished()
    const path = join(desk.workspace, 'agents/main/entries/deploys.md')
    chmodSync(path, 0o644)
    await desk.make(['remember', 'x', '--name', 'Deploys'])
    expect(lstatSync(path).mode & 0o777).toBe(0o644)
  })
})

describe.concurrent('a current folder that is gone', () => {
  it('is an error that says so', async () => {
    const desk = new Desk()
    const gone = join(desk.folder, 'gone')
    mkdirSync(gone)
    const { status, stderr } = await desk.shell(`cd gone && rmdir ../gone && exec "$NODE" "$MAIN" list`)
    expect([status, stderr]).toEqual([1, 'keepsake: the current folder is gone\nChange to one that exists.\n'])
  })
})
