/** A workspace or an agent that somebody names: a project's folder means its memory, and what is not there is said, not taken for empty. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { jsonFrom, outcomeFrom } from './in-this-process.ts'
import { Desk } from './keepsake.ts'

/** Commands that only read, or work on what is there. */
const READING: readonly (readonly string[])[] = [
  ['list'],
  ['recall'],
  ['recall', 'deploys'],
  ['show', 'Deploys'],
  ['log'],
  ['undo'],
  ['blame', 'Deploys'],
  ['reflect'],
  ['learn', 'Staging server'],
  ['context'],
  ['session', 'list'],
  ['session', 'show', 's'],
  ['session', 'reset', 's'],
  ['review'],
  ['cleanup'],
  ['accept', '--yes'],
  ['forget', 'Deploys', '--yes'],
  ['rename', 'Deploys', 'Ships'],
  ['alias', 'Deploys', 'Ships'],
  ['eval'],
]
/** Those that look at all of the memory, whoever's it is. */
const WHOLE = [['doctor'], ['backup', 'copy.keepsake'], ['export', 'copy'], ['move', '--to', 'copy']]

describe('a folder with a .keepsake in it, named as the workspace', () => {
  it('means that .keepsake, in an option, the environment and agent.yaml', async () => {
    const desk = await Desk.furnished()
    const before = readdirSync(desk.folder)
    const written = await jsonFrom(desk, ['remember', 'x', '--workspace', '.', '--name', 'by option'])
    expect(written).toMatchObject({ status: 0, entry: { path: 'agents/main/entries/by-option.md' } })
    const env = { KEEPSAKE_WORKSPACE: desk.folder }
    await jsonFrom(desk, ['remember', 'x', '--name', 'by environment'], { env, cwd: '/' })
    expect(readdirSync(join(desk.workspace, 'agents/main/entries'))).toContain('by-environment.md')
    expect(readdirSync(desk.folder)).toEqual(before)
    expect((await jsonFrom(desk, ['config', '--workspace', desk.folder])).workspace).toBe(desk.workspace)
    desk.edit('../agent.yaml', 'spec: { memory: { workspace: . } }')
    expect((await jsonFrom(desk, ['config'])).workspace).toBe(desk.workspace)
    expect(await jsonFrom(desk, ['init', '--workspace', '.'])).toMatchObject({
      workspace: desk.workspace,
      created: false,
    })
  })

  it('means the same in the library', async () => {
    const desk = await Desk.furnished()
    const before = readdirSync(desk.folder)
    const memory = await openMemory({ workspace: desk.folder })
    await memory.remember('x', { name: 'by program' })
    expect((await memory.list({ kinds: ['note'] })).map(({ name }) => name)).toEqual([
      'Deploys',
      'Posters',
      'by program',
    ])
    await memory.close()
    expect(readdirSync(desk.folder)).toEqual(before)
  })

  it('is shown with its real path in the answer to a write', async () => {
    const desk = await Desk.furnished()
    const { text } = await outcomeFrom(desk, ['remember', 'x', '--name', 'n', '--workspace', '.'])
    expect(text).toContain('.keepsake/agents/main/entries/n.md')
  })

  it('is used as it is if it is a workspace itself', async () => {
    const desk = await Desk.furnished()
    await jsonFrom(desk, ['init', '--workspace', 'notes'])
    mkdirSync(join(desk.folder, 'notes/.keepsake'))
    expect((await jsonFrom(desk, ['remember', 'x', '--workspace', 'notes'])).status).toBe(0)
    expect(existsSync(join(desk.folder, 'notes/agents/main/daily'))).toBe(true)
    expect(readdirSync(join(desk.folder, 'notes/.keepsake'))).toEqual([])
  })
})

describe('a named workspace that does not exist', () => {
  it.each([...READING, ...WHOLE].map((args) => [args.join(' '), args] as const))(
    'is not found by %s',
    async (_, args) => {
      const desk = new Desk()
      const { status, error } = await jsonFrom(desk, [...args, '--workspace', 'nowhere'])
      expect([status, error]).toEqual([
        3,
        {
          code: 'NOT_FOUND',
          message: `there is no memory at ${desk.folder}/nowhere`,
          hint: `Check the path. To create a new memory: keepsake init --workspace ${desk.folder}/nowhere`,
        },
      ])
      expect(readdirSync(desk.folder)).toEqual([])
    },
  )

  it('is not found if the folder has something else in it, or if the environment names it', async () => {
    const desk = new Desk()
    mkdirSync(join(desk.folder, 'src'))
    const env = { KEEPSAKE_WORKSPACE: 'src' }
    const { status, error } = await jsonFrom(desk, ['list'], { env })
    expect([status, error.message]).toEqual([3, `there is no memory at ${desk.folder}/src`])
  })

  it.each([
    ['a sibling of nearly that name', 'nots', 'notes'],
    ['one file of nearly that name', 'memroy.keepsake', 'memory.keepsake'],
    ['the nearest memory upward', 'src/deep', '.keepsake'],
  ])('gets the suggestion of %s', async (_, asked, meant) => {
    const desk = await Desk.furnished()
    await jsonFrom(desk, ['init', '--workspace', 'notes'])
    await jsonFrom(desk, ['init', '--workspace', 'memory.keepsake'])
    const { error } = await jsonFrom(desk, ['list', '--workspace', asked])
    expect(error.hint).toBe(
      `Did you mean ${desk.folder}/${meant}? To create a new memory: keepsake init --workspace ${desk.folder}/${asked}`,
    )
  })

  it('is quoted for a shell in the command that creates it, and in the output of that command', async () => {
    const desk = new Desk()
    const { error } = await jsonFrom(desk, ['list', '--workspace', 'my notes'])
    expect(error.hint).toMatch(/keepsake init --workspace '\/.*\/my notes'$/)
    const { text } = await outcomeFrom(desk, ['init', '--workspace', 'my notes'])
    expect(text).toMatch(/^Made a workspace in my notes\n(.*\n)+ {2}keepsake \w.* --workspace 'my notes' /)
  })

  it.each(['new', 'new.keepsake'])('is created by a write, which says so once: %s', async (name) => {
    const desk = new Desk()
    const place = ['--workspace', name]
    expect(await jsonFrom(desk, ['remember', 'x', ...place])).toMatchObject({
      status: 0,
      warnings: [`there was no memory at ${join(desk.folder, name)}, so a new one was created`],
    })
    expect((await jsonFrom(desk, ['remember', 'y', ...place])).warnings).toBeUndefined()
    expect((await jsonFrom(desk, ['list', ...place])).entries).toHaveLength(2)
  })

  it('is not reported as new by a write if people wrote its files', async () => {
    const desk = new Desk()
    desk.edit('../notes/world/heron.md', 'A bird.\n')
    expect((await jsonFrom(desk, ['remember', 'x', '--workspace', 'notes'])).warnings).toBeUndefined()
  })

  it('is refused by serve, which creates no token', async () => {
    const desk = new Desk()
    const { status, error } = await jsonFrom(desk, ['serve', '--port', '0', '--workspace', 'nowhere'])
    expect([status, error.message]).toEqual([3, `there is no memory at ${desk.folder}/nowhere`])
    expect(readdirSync(desk.folder)).toEqual([])
  })

  it('exists if people wrote its files, even without settings', async () => {
    const desk = new Desk()
    desk.edit('../notes/world/heron.md', 'A bird.\n')
    expect((await jsonFrom(desk, ['list', '--workspace', 'notes'])).entries).toHaveLength(1)
  })
})

describe('a place that nobody named, with no memory yet', () => {
  it.each([['list'], ['recall'], ['recall', 'foo'], ['log'], ['session', 'list'], ['reflect']])(
    'is an empty answer that says how to begin: %s %s',
    async (...args) => {
      const desk = new Desk()
      const cwd = join(desk.folder, 'project')
      mkdirSync(cwd)
      const { text } = await outcomeFrom(desk, args, { cwd })
      expect(text).toBe('No memories yet in ~/.keepsake. Start one here with `keepsake init`.')
      expect((await jsonFrom(desk, args, { cwd })).status).toBe(0)
      expect(readdirSync(desk.folder)).toEqual(['project'])
    },
  )

  it('is the same if agent.yaml names a memory that does not exist yet', async () => {
    const desk = new Desk()
    desk.edit('../agent.yaml', 'spec: { memory: { agent: scout } }')
    const { text } = await outcomeFrom(desk, ['list'])
    expect(text).toBe('No memories yet in .keepsake. Start one here with `keepsake init`.')
  })
})

describe('a named agent that does not exist', () => {
  const reading = [...READING, ['export', 'copy'], ['doctor'], ['doctor', '--fix']]
  it.each(reading.map((args) => [args.join(' '), args] as const))('is not found by %s', async (_, args) => {
    const desk = await Desk.furnished()
    const { status, error } = await jsonFrom(desk, [...args, '--agent', 'mian'])
    expect([status, error]).toEqual([
      3,
      { code: 'NOT_FOUND', message: `there is no agent "mian" in ${desk.workspace}`, hint: 'Did you mean "main"?' },
    ])
  })

  it('gets a list of the agents if no name is similar', async () => {
    const desk = await Desk.furnished()
    await jsonFrom(desk, ['session', 'append', 's', '--role', 'user', 'Hello.', '--agent', 'scout'])
    // What no agent can be called is none.
    mkdirSync(join(desk.workspace, 'agents/.DS_Store'))
    const { error } = await jsonFrom(desk, ['list'], { env: { KEEPSAKE_AGENT: 'ada' } })
    expect(error.hint).toBe('The agents are: main, scout.')
  })

  it.each(['folder', 'one file'])('exists once it has or had anything: in a %s', async (sort) => {
    const desk = new Desk()
    const place = ['--workspace', sort === 'folder' ? 'notes' : 'memory.keepsake']
    await jsonFrom(desk, ['remember', 'x', '--name', 'n', ...place])
    await jsonFrom(desk, ['remember', 'x', '--name', 'n', '--agent', 'scout', ...place])
    await jsonFrom(desk, ['session', 'append', 's', '--role', 'user', 'Hello.', '--agent', 'ada', ...place])
    await jsonFrom(desk, ['remember', 'x', '--name', 'n', '--agent', 'ghost', ...place])
    await jsonFrom(desk, ['forget', 'n', '--yes', '--agent', 'ghost', ...place])
    for (const agent of ['scout', 'Scout', 'ada', 'ghost', 'main']) {
      expect((await jsonFrom(desk, ['list', '--agent', agent, ...place])).status).toBe(0)
    }
    expect((await jsonFrom(desk, ['list', '--agent', 'scuot', ...place])).error.hint).toBe('Did you mean "scout"?')
  })

  it('is never the default agent, which always exists', async () => {
    const desk = await Desk.empty()
    expect((await jsonFrom(desk, ['list', '--agent', 'main'])).status).toBe(0)
  })
})

describe('a new agent', () => {
  it('is announced by its first write, with a similar name', async () => {
    const desk = await Desk.furnished()
    const says = 'agent "mian" is new; did you mean "main"?'
    expect((await outcomeFrom(desk, ['remember', 'x', '--agent', 'mian'])).warnings).toEqual([says])
    expect((await jsonFrom(desk, ['remember', 'y', '--agent', 'mian'])).warnings).toBeUndefined()
  })

  it.each([
    ['remember', 'x'],
    ['reflect', 'x'],
    ['learn', 'Topic', 'x'],
    ['session', 'append', 's', '--role', 'user', 'Hello.'],
  ])('is a warning in JSON: %s', async (...args) => {
    const desk = await Desk.furnished()
    const { status, warnings } = await jsonFrom(desk, [...args, '--agent', 'scout'])
    expect([status, warnings]).toEqual([0, ['agent "scout" is new']])
  })

  it('is not announced if it is the first, or if nobody named it', async () => {
    const desk = new Desk()
    expect((await jsonFrom(desk, ['remember', 'x', '--agent', 'scout'])).warnings).toBeUndefined()
    expect((await jsonFrom(desk, ['remember', 'x'])).warnings).toBeUndefined()
  })
})
