/** Which file counts, what a broken one says, and which of several values wins. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { findPlace } from '../../src/config/find-workspace.ts'
import { CONFIG_KEYS, KEYS } from '../../src/config/keys.ts'
import { isNightly } from '../tier.ts'
import { Project, refusalOf } from './files.ts'

describe('the place', () => {
  it('is the nearest of agent.yaml and .keepsake, going upward', () => {
    const project = Project.with().write('a/.keepsake/x', '').write('a/b/agent.yaml', '').write('a/b/.keepsake/x', '')
    mkdirSync(join(project.folder, 'a/b/c'))
    mkdirSync(join(project.folder, 'd'))
    const at = (path: string): string => join(project.folder, path)
    expect(findPlace(at('a/b/c'))).toEqual({ config: at('a/b/agent.yaml'), workspace: at('a/b/.keepsake') })
    expect(findPlace(at('a'))).toEqual({ workspace: at('a/.keepsake') })
    expect(findPlace(at('d'))).toEqual({ config: at('agent.yaml'), workspace: at('.keepsake') })
  })

  it('is at home where there is neither', () => {
    expect(findPlace(new Project().folder)).toEqual({ workspace: join(homedir(), '.keepsake') })
    // A home that is not absolute would be one in every folder.
    for (const home of ['', 'relative']) {
      vi.stubEnv('HOME', home)
      expect(findPlace(new Project().folder)).toEqual({ workspace: join(userInfo().homedir, '.keepsake') })
    }
    vi.unstubAllEnvs()
  })

  it('is also a .keepsake that is none, which is refused and not passed over', async () => {
    const file = new Project().write('.keepsake', '')
    expect(findPlace(file.folder).workspace).toBe(join(file.folder, '.keepsake'))
    expect((await refusalOf(file.load())).message).toMatch(/\.keepsake is not a folder$/)
    const link = new Project()
    symlinkSync('not-mounted', join(link.folder, '.keepsake'))
    mkdirSync(join(link.folder, 'below'))
    const { code, message } = await refusalOf(link.load({ from: join(link.folder, 'below') }))
    expect([code, message]).toEqual(['INVALID', expect.stringMatching(/\.keepsake is a link that leads nowhere$/)])
  })
})

describe('without a file', () => {
  it('all values are defaults, and the memory is enabled', async () => {
    const { file, enabled, values, sources } = await new Project().load()
    expect([file, enabled]).toEqual([undefined, true])
    expect(CONFIG_KEYS.map((key) => sources[key].label)).toEqual(CONFIG_KEYS.map(() => 'default'))
    for (const key of CONFIG_KEYS.filter((one) => one !== 'workspace')) expect(values[key]).toBe(KEYS[key].fallback)
  })
})

describe('a file', () => {
  it.each([
    ['', false],
    ['# nothing\n', false],
    ['---\n', false],
    ['spec:\n', false],
    ['spec: {}\n', false],
    ['spec:\n  tools:\n    - type: builtin\n      name: bash\n', false],
    ['memory:\n  recall_limit: 7\n', false],
    ['spec:\n  memory:\n', true],
    ['spec:\n  memory: {}\n  tools: [a]\nother: !Ref x\n', true],
    ['\uFEFFspec:\r\n  memory:\r\n', true],
  ])('%j has all defaults; enabled: %s', async (text, enabled) => {
    const project = new Project().write('agent.yaml', text)
    const config = await project.load()
    expect(config.enabled).toBe(enabled)
    expect(config.file).toBe(project.file)
    expect(config.values.workspace).toBe(join(project.folder, '.keepsake'))
    expect(CONFIG_KEYS.map((key) => config.sources[key].label)).toEqual(CONFIG_KEYS.map(() => 'default'))
  })

  it('begins its relative paths at its own folder', async () => {
    const project = Project.with('workspace: ../memory', 'identity_file: ../Crab.md')
    mkdirSync(join(project.folder, 'below'))
    const { values } = await project.load({ from: join(project.folder, 'below') })
    expect(values.workspace).toBe(join(project.folder, '../memory'))
    expect(values.identity_file).toBe(join(project.folder, '../Crab.md'))
  })

  it('can be named, relative to where one stands', async () => {
    const project = new Project().write('bots/scout.yaml', 'spec: { memory: { agent: scout } }')
    const { values, sources } = await project.load({ file: 'bots/scout.yaml' })
    expect(values).toMatchObject({ agent: 'scout', workspace: join(project.folder, 'bots/.keepsake') })
    expect(sources.agent).toMatchObject({ label: 'scout.yaml:1' })
  })

  it('may use anchors', async () => {
    const text = 'x: &seven 7\ny: &memory\n  recall_limit: *seven\nspec:\n  memory: *memory\n'
    const { values, sources } = await new Project().write('agent.yaml', text).load()
    expect([values.recall_limit, sources.recall_limit.label]).toEqual([7, 'agent.yaml:3'])
  })
})

describe('a file that is broken', () => {
  it.each([
    ['spec:\n  memory:\n    a: [1\n', ':4:1: ', /sufficiently indented and end with a \]/],
    ['spec:\n\tmemory:\n', ':2:1: ', /Tabs are not allowed/],
    ['spec: {}\n---\nspec: {}\n', ':2:1: ', /a second document begins here/],
    ['spec:\n  memory:\n    agent: a\n    layout: flat\n    agent: b\n', ':5:5: ', /"agent" stands here a second time/],
    ['spec:\n  memory:\n  memory:\n', ':3:3: ', /"memory" stands here a second time/],
    ['spec: {}\nother: 1\nspec: {}\n', ':3:1: ', /"spec" stands here a second time/],
    ['spec:\n  memory:\n    llm: { model: a, model: b }\n', ':3:22: ', /"model" stands here a second time/],
    ['- spec\n', ':1:1: ', /the file is a list, not a mapping/],
    ['just words\n', ':1:1: ', /the file is text, not a mapping/],
    ['spec: [memory]\n', ':1:1: ', /spec is a list, not a mapping/],
    ['spec:\n  memory: on\n', ':2:3: ', /spec\.memory is text, not a mapping/],
    ['spec:\n  memory: *nowhere\n', ':2:3: ', /spec\.memory is an alias of nothing/],
    ['spec:\n  memory:\n    agent: *nowhere\n', ':3:5: ', /agent: an alias of nothing is not an agent id/],
  ])('%j is refused with the line', async (text, at, says) => {
    const project = new Project().write('agent.yaml', text)
    const { code, message, hint } = await refusalOf(project.load())
    expect([code, message.startsWith(project.file + at), hint === undefined]).toEqual(['INVALID', true, false])
    expect(message).toMatch(says)
    expect(message).not.toContain('\n')
  })

  it('is none of our business elsewhere: a key that stands twice there is no error', async () => {
    const text = 'spec:\n  other: { x: 1, x: 2 }\n  memory: { agent: scout }\nmore: { y: 1, y: 2 }\nmore: 2\n'
    expect((await new Project().write('agent.yaml', text).load()).values.agent).toBe('scout')
  })

  it('does not hang on aliases that unfold without end', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `l${level + 1}: &l${level + 1} {a: *l${level}, b: *l${level}}`,
    )
    const bomb = ['l0: &l0 {a: x}', ...levels, 'spec: { memory: { llm: *l30 } }'].join('\n')
    expect((await refusalOf(new Project().write('agent.yaml', bomb).load())).message).toContain('no key "a"')
    const circle = 'spec:\n  memory: &m\n    llm: *m\n'
    expect((await refusalOf(new Project().write('agent.yaml', circle).load())).message).toContain('no key "llm"')
  })

  it.each(['[', '{', '- ', '? ', 'a: {'])('does not overflow where %j stands very often', async (opening) => {
    for (const times of [150, 20_000]) {
      const project = new Project().write('agent.yaml', opening.repeat(times))
      const { message } = await refusalOf(project.load())
      expect(message).toMatch(/agent\.yaml:1:\d+: this is nested too deeply$/)
    }
  })

  it('does not hang on very many keys', async () => {
    const keys = Array.from({ length: isNightly ? 60_000 : 15_000 }, (_, index) => `k${index}: 1`).join('\n')
    expect((await new Project().write('agent.yaml', `${keys}\nspec: {memory: }`).load()).enabled).toBe(true)
  })

  it.each([
    ['a folder', (path: string) => mkdirSync(path), /this is a folder/],
    ['a link', (path: string) => symlinkSync('other.yaml', path), /this is a link, and links are not followed/],
  ])('%s is refused', async (_, make, says) => {
    const project = new Project().write('other.yaml', 'spec: {memory: }')
    make(project.file)
    const { code, message } = await refusalOf(project.load())
    expect(code).toBe('INVALID')
    expect(message).toMatch(says)
    expect(message).toContain(project.file)
  })

  it.each([
    ['UTF-16', Buffer.from('\uFEFFspec:\n  memory:\n', 'utf16le'), /this is not UTF-8/],
    ['Latin-1', Buffer.from('spec: {}\n# \xe9\n', 'latin1'), /this is not UTF-8/],
    ['too large', '#'.repeat(1_100_000), /this has 1100000 bytes/],
  ])('%s is refused', async (_, content, says) => {
    const { code, message } = await refusalOf(new Project().write('agent.yaml', content).load())
    expect(code).toBe('INVALID')
    expect(message).toMatch(says)
  })

  it.each(['nowhere.yaml', '.', '/dev/null'])('--config %s is refused', async (file) => {
    expect(await refusalOf(new Project().load({ file }))).toMatchObject({ code: 'INVALID' })
  })
})

describe('of several values', () => {
  it('a preset sets defaults, and a line of its own wins over it', async () => {
    const { values, sources } = await Project.with('tools: agnx', 'inject_memory: true').load()
    expect([values.auto_recall, values.inject_memory]).toEqual([false, true])
    expect([sources.auto_recall.label, sources.inject_memory.label]).toEqual(['preset agnx', 'agent.yaml:4'])
  })

  it('what is asked for wins over the file', async () => {
    const asked = { agent: { text: 'Scout', source: 'KEEPSAKE_AGENT' } }
    const { values, sources } = await Project.with('agent: writer').load({ asked })
    expect([values.agent, sources.agent.label]).toEqual(['scout', 'KEEPSAKE_AGENT'])
  })

  it('a preset that is asked for sets its defaults in place of the one in the file', async () => {
    const asked = { tools: { text: 'agnx', source: '--tools' } }
    const { values, sources } = await Project.with('tools: crabtalk', 'inject_memory: true').load({ asked })
    expect([values.tools, values.auto_recall, values.inject_memory]).toEqual(['agnx', false, true])
    expect([sources.tools.label, sources.auto_recall.label]).toEqual(['--tools', 'preset agnx'])
    const wrong = { tools: { text: 'all', source: '--tools' } }
    expect((await refusalOf(new Project().load({ asked: wrong }))).message).toMatch(/^tools: /)
  })

  const LINES = [
    'workspace: memory',
    'backend: filesystem',
    'timezone: Europe/Berlin',
    'recall_limit: 7',
    'token: x',
  ] as const

  it('those about its own workspace do not count for another that is asked for', async () => {
    const project = Project.with(...LINES)
    const asked = { workspace: { text: 'other', source: '--workspace' } }
    const { values, sources } = await project.load({ asked })
    expect(values).toMatchObject({ backend: 'filesystem', timezone: null, recall_limit: 7, token: null })
    expect(values.workspace).toBe(join(project.folder, 'other'))
    expect([sources.workspace.label, sources.backend.label]).toEqual(['--workspace', '--workspace'])
  })

  it('they count when that is the same folder', async () => {
    const asked = { workspace: { text: './memory/', source: '--workspace' } }
    expect((await Project.with(...LINES).load({ asked })).values).toMatchObject({
      timezone: 'Europe/Berlin',
      token: 'x',
    })
  })

  it('one that is pinned may not be asked for against the file', async () => {
    const project = Project.with('timezone: Europe/Berlin')
    const { message } = await refusalOf(project.load({ asked: { timezone: { text: 'UTC', source: '--timezone' } } }))
    expect(message).toBe(`timezone: --timezone says "UTC", but ${project.file}:3 says "Europe/Berlin"`)
  })
})

describe('the backend', () => {
  it.each([
    ['memory.keepsake', 'file'],
    ['.keepsake', 'filesystem'],
    ['folder.keepsake', 'filesystem'],
    ['notes', 'filesystem'],
  ])('of the workspace %s is %s where no line says it', async (workspace, backend) => {
    const project = Project.with(`workspace: ${workspace}`)
    mkdirSync(join(project.folder, 'folder.keepsake'))
    expect((await project.load()).values.backend).toBe(backend)
  })

  it('is what the line says', async () => {
    const { values } = await Project.with('workspace: memory.keepsake', 'backend: filesystem').load()
    expect(values.backend).toBe('filesystem')
  })

  it.each([[['workspace: notes']], [['workspace: notes', 'backend: filesystem']]])('is no file: %j', async (lines) => {
    const project = Project.with(...lines).write('notes', 'a file')
    const { message } = await refusalOf(project.load())
    expect(message).toBe(`${project.file}:3: workspace: ${join(project.folder, 'notes')} is not a folder`)
  })

  it('is no address of another sort', async () => {
    const asked = { workspace: { text: 'redis://host', source: '--workspace' } }
    expect(await refusalOf(new Project().load({ asked }))).toMatchObject({ code: 'INVALID' })
  })
})

describe('an identity file', () => {
  it.each(['.keepsake/agents/main/Soul.md', './.keepsake/MEMORY.md'])(
    '%s lies in the workspace: refused',
    async (path) => {
      const project = Project.with(`identity_file: ${path}`)
      const { message } = await refusalOf(project.load())
      expect(message).toBe(`${project.file}:3: identity_file: ${join(project.folder, path)} lies in the workspace`)
    },
  )
})
