/** A memory on a server in `agent.yaml` and by its address: which place it comes to, who says so, and what must agree. Nobody is asked. */
import { describe, expect, it } from 'vitest'
import type { Config, LoadOptions } from '../../src/config/load-config.ts'
import { openServer } from '../../src/config/open-store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Project, refusalOf } from './files.ts'

const CHROMA = 'backend: chroma'

function at(address: string): Pick<LoadOptions, 'asked'> {
  return { asked: { workspace: { text: address, source: '--workspace' } } }
}

/** What the store is opened with. */
function optionsOf(config: Config): Parameters<Parameters<typeof openServer>[1]>[0] {
  let given: Parameters<Parameters<typeof openServer>[1]>[0] | undefined
  openServer(config, (options) => {
    given = options
    return memoryStore()
  })
  if (!given) throw new Error('nothing was opened')
  return given
}

describe('a memory on a server', () => {
  it.each([
    [[CHROMA], 'chroma://localhost:8000'],
    [[CHROMA, 'url: https://chroma.example'], 'chroma://chroma.example:443?tls=1'],
    [
      [CHROMA, 'url: http://10.0.0.7:9000', 'tenant: team', 'database: notes'],
      'chroma://10.0.0.7:9000/notes?tenant=team',
    ],
    [['workspace: chroma://10.0.0.7/notes'], 'chroma://10.0.0.7:8000/notes'],
    [[CHROMA, 'workspace: chroma://h:1', 'url: http://H:1', 'database: default_database'], 'chroma://h:1'],
  ])('has one address, however it is said: %j', async (lines, address) => {
    const { values } = await Project.with(...lines).load()
    expect([values.backend, values.workspace]).toEqual(['chroma', address])
  })

  it('is opened with all that is said about it', async () => {
    const lines = [
      'url: https://h',
      'tenant: team',
      'database: notes',
      'token: x',
      'server_timeout: 3',
      'timezone: UTC',
    ]
    const config = await Project.with(CHROMA, ...lines, 'agent: scout').load()
    expect(optionsOf(config)).toEqual({
      place: { url: 'https://h:443', tenant: 'team', database: 'notes', token: 'x' },
      agent: 'scout',
      requestMs: 3000,
      timezone: 'UTC',
    })
  })

  it('is opened without an agent where nobody names one, and without a token where there is none', async () => {
    expect(optionsOf(await new Project().load(at('chroma://h')))).toEqual({
      place: { url: 'http://h:8000', tenant: 'default_tenant', database: 'default_database' },
      requestMs: 10_000,
    })
  })

  it('tells by whose word each part of its place is so', async () => {
    const { values, sources } = await Project.with('url: http://elsewhere:1', CHROMA).load(at('chroma://h/notes'))
    expect([values.url, values.database]).toEqual(['http://h:8000', 'notes'])
    expect([sources.url.label, sources.database.label, sources.backend.label]).toEqual(Array(3).fill('--workspace'))
    const own = await Project.with(CHROMA, 'url: http://elsewhere:1').load()
    expect([own.sources.workspace.label, own.sources.url.label, own.sources.tenant.label]).toEqual([
      'agent.yaml:4',
      'agent.yaml:4',
      'agent.yaml:4',
    ])
  })

  it('has the token of the file where an option names the same place, and not where it names another', async () => {
    const project = Project.with(CHROMA, 'url: http://127.0.0.1:8000', 'token: x')
    expect((await project.load(at('chroma://127.0.0.1'))).values.token).toBe('x')
    expect((await project.load(at('chroma://127.0.0.1/notes'))).values.token).toBeNull()
    expect((await project.load(at('notes'))).values).toMatchObject({ backend: 'filesystem', token: null })
  })

  it('has no token with a variable in it, which nobody would put in: the error names the line and the variable', async () => {
    const project = Project.with(CHROMA, `token: x\${HUNTER2}`)
    const { code, message, hint } = await refusalOf(project.load())
    expect([code, message]).toEqual(['INVALID', `${project.file}:4:5: token: no variable is put in for \${…} here`])
    expect(hint).toContain('to keep it out of files: KEEPSAKE_CHROMA_TOKEN in the environment')
    expect(message + hint).not.toContain('HUNTER2')
  })

  it('has the token that the environment holds, and nobody tells it', async () => {
    const asked = { ...at('chroma://h').asked, token: { text: 'hunter2', source: 'KEEPSAKE_CHROMA_TOKEN' } }
    const { values, sources } = await new Project().load({ asked })
    expect(values.token).toBe('hunter2')
    expect(JSON.stringify(sources)).not.toContain('hunter2')
  })

  it('is no matter of a token where the memory is in a folder', async () => {
    const asked = { token: { text: `\${CHROMA_TOKEN}`, source: 'KEEPSAKE_CHROMA_TOKEN' } }
    expect((await new Project().load({ asked })).values.token).toBeNull()
    await expect(new Project().load({ asked: { ...asked, ...at('chroma://h').asked } })).rejects.toThrow('no variable')
  })

  it('is not opened with the token of the environment where only a found file leads beyond this machine', async () => {
    const asked = { token: { text: 'hunter2', source: 'KEEPSAKE_CHROMA_TOKEN' } }
    const opened = async (url: string, ...lines: readonly string[]): Promise<unknown> =>
      optionsOf(await Project.with(CHROMA, `url: ${url}`, ...lines).load({ asked })).place.token
    await expect(opened('https://h')).rejects.toThrow(/^KEEPSAKE_CHROMA_TOKEN is not sent to chroma:\/\/h:443\?tls=1: /)
    expect(await opened('https://h', 'token: x')).toBe('x')
    expect(await opened('http://127.0.0.1:8000')).toBe('hunter2')
    const project = Project.with(CHROMA, 'url: https://h')
    expect(optionsOf(await project.load({ asked, file: project.file })).place.token).toBe('hunter2')
  })

  it.each([
    [['workspace: chroma://a', 'url: http://b:8000'], 'url: is "http://a:8000" where FILE:3 says "chroma://a:8000"'],
    [['workspace: chroma://a', 'database: notes'], 'but "notes" in FILE:4'],
    [['workspace: chroma://a?tenant=x', 'tenant: y'], 'tenant: is "x" where FILE:3'],
    [['workspace: memory', CHROMA], 'FILE:3: workspace: FOLDER/memory is not the address of a server'],
    [['workspace: chroma://a', 'backend: file'], 'FILE:3: workspace: chroma://a:8000 is the address of a server'],
    [['workspace: chroma://a', 'backend: filesystem'], 'is the address of a server'],
    [['url: http://h:8000'], 'url: FILE:3 names it, but the backend here is "filesystem", which has no server'],
    [['backend: file', 'database: notes'], 'database: FILE:4 names it, but the backend here is "file"'],
  ])('is refused where two lines say different things: %j', async (lines, problem) => {
    const project = Project.with(...lines)
    const { code, message } = await refusalOf(project.load())
    expect(code).toBe('INVALID')
    expect(message.replaceAll(project.file, 'FILE').replaceAll(project.folder, 'FOLDER')).toContain(problem)
  })

  it.each([
    'chroma:/h',
    'chroma:h',
    'Chroma:',
    'chroma://',
    'chroma://me:hunter2@h',
    'chroma://me:hunter2/ss@h.example/db',
    'chroma://token:hunter2#t@h',
    'chroma://h?token=hunter2',
    'https://me:hunter2@h',
    'chroma://h:x',
  ])('is not named by %s, and no secret is repeated', async (address) => {
    const { code, message, hint } = await refusalOf(new Project().load(at(address)))
    expect([code, /hunter2/.test(message + hint)]).toEqual(['INVALID', false])
  })

  it('has no identity elsewhere', async () => {
    const project = Project.with(CHROMA, 'identity_file: ../Crab.md')
    const config = await project.load()
    expect(() => optionsOf(config)).toThrow(/lies outside of the server$/)
  })
})
