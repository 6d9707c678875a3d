/** How `agent.yaml`, options and the environment name a memory on PostgreSQL and its password. Nothing connects to a server. */
import { describe, expect, it } from 'vitest'
import type { Config, LoadOptions } from '../../src/config/load-config.ts'
import { openPostgres, type PostgresOptions } from '../../src/config/open-store.ts'
import { Project, refusalOf } from './files.ts'

const POSTGRES = 'backend: postgres'
const FROM_ENVIRONMENT = { password: { text: 'hunter2', source: 'PGPASSWORD' } }

function at(address: string): Pick<LoadOptions, 'asked'> {
  return { asked: { workspace: { text: address, source: '--workspace' } } }
}

/** The options that the store is opened with. */
function optionsOf(config: Config): PostgresOptions {
  return openPostgres(config, (options) => options)
}

describe('a memory on PostgreSQL', () => {
  it.each([
    [[POSTGRES, 'url: postgres://me@localhost/db'], 'postgres://me@localhost/db'],
    [['workspace: postgres://me@localhost/db'], 'postgres://me@localhost/db'],
    [[POSTGRES, 'workspace: postgresql://me@localhost:5432/db'], 'postgres://me@localhost/db'],
    [['url: postgresql://db.example/db?schema=notes', POSTGRES], 'postgres://db.example/db?schema=notes'],
    [['workspace: postgres://h/db', 'url: postgresql://h:5432/db?schema=keepsake', POSTGRES], 'postgres://h/db'],
  ])('has the same address, whichever keys name it: %j', async (lines, address) => {
    const { values } = await Project.with(...lines).load()
    expect([values.backend, values.workspace]).toEqual(['postgres', address])
  })

  it('is opened with every setting of the file', async () => {
    const lines = ['url: postgres://me@localhost/db', 'server_timeout: 3', 'timezone: UTC', 'agent: scout']
    const config = await Project.with(POSTGRES, ...lines).load({ asked: FROM_ENVIRONMENT })
    expect(optionsOf(config)).toEqual({
      place: {
        host: 'localhost',
        port: 5432,
        user: 'me',
        database: 'db',
        schema: 'keepsake',
        tls: 'disable',
        password: 'hunter2',
      },
      agent: 'scout',
      requestMs: 3000,
      timezone: 'UTC',
    })
  })

  it('takes the password from the address on the command line before PGPASSWORD', async () => {
    const asked = { ...FROM_ENVIRONMENT, ...at('postgres://me:own@localhost/db').asked }
    const config = await new Project().load({ asked })
    expect(optionsOf(config).place.password).toBe('own')
    expect([config.values.workspace, config.sources.workspace.where]).toEqual([
      'postgres://me@localhost/db',
      '--workspace postgres://me@localhost/db',
    ])
    expect(JSON.stringify(config.sources)).not.toMatch(/hunter2|own@|:own/)
  })

  it('leaves the password to ~/.pgpass if none is set', async () => {
    expect(optionsOf(await new Project().load(at('postgres://localhost/db'))).place).not.toHaveProperty('password')
  })

  it('refuses an address with a password in the file, and does not repeat it', async () => {
    for (const lines of [
      ['workspace: postgres://me:hunter2@h/db'],
      [POSTGRES, 'url: postgres://me:hunter2@h/db'],
      [POSTGRES, 'url: postgres://me:hunt#er2@h/db'],
    ]) {
      const { code, message, hint } = await refusalOf(Project.with(...lines).load())
      expect(code).toBe('INVALID')
      expect(message + hint).not.toMatch(/hunter2|hunt/)
    }
    const { message } = await refusalOf(Project.with(POSTGRES, 'url: postgres://me:hunter2@h/db').load())
    expect(message).toContain('has a password, which does not belong in a file: set PGPASSWORD')
  })

  it('does not get PGPASSWORD if only a found file names it, on another machine', async () => {
    const load = (url: string, options: Partial<LoadOptions> = {}): Promise<Config> =>
      Project.with(POSTGRES, `url: ${url}`).load({ asked: FROM_ENVIRONMENT, ...options })
    const found = await load('postgres://me@h/db')
    expect(() => optionsOf(found)).toThrow(/^PGPASSWORD is not sent to postgres:\/\/me@h\/db: /)
    expect(optionsOf(await load('postgres://me@localhost/db')).place.password).toBe('hunter2')
    const project = Project.with(POSTGRES, 'url: postgres://me@h/db')
    const named = await project.load({ asked: FROM_ENVIRONMENT, file: project.file })
    expect(optionsOf(named).place.password).toBe('hunter2')
    // `pg` itself would read the environment and ~/.pgpass.
    expect(optionsOf(await project.load()).place).toMatchObject({ isFound: true })
    expect(optionsOf(await project.load({ file: project.file })).place).not.toHaveProperty('isFound')
    const asked = { ...FROM_ENVIRONMENT, ...at('postgres://me@h/db').asked }
    expect(optionsOf(await new Project().load({ asked })).place.password).toBe('hunter2')
  })

  it.each([
    [[POSTGRES], 'no line names a server'],
    [[POSTGRES, 'workspace: notes'], 'is not the address of a PostgreSQL server'],
    [[POSTGRES, 'url: http://h'], 'is not the address of a PostgreSQL server'],
    [[POSTGRES, 'url: postgres://h'], 'names no database'],
    [[POSTGRES, 'url: postgres://h/db?schema=A'], '"A" is not a schema'],
    [[POSTGRES, 'url: postgres://h/db', 'database: other'], 'database: FILE:5 names it'],
    [[POSTGRES, 'url: postgres://h/db', 'tenant: other'], 'tenant: FILE:5 names it'],
    [['workspace: postgres://h/a', 'url: postgres://h/b'], 'but "postgres://h/b" in FILE:4'],
    [['backend: file', 'workspace: postgres://h/db'], 'postgres://h/db is the address of a server'],
    [['backend: chroma', 'workspace: postgres://h/db'], 'postgres'],
    [['backend: chroma', 'url: postgres://h/db'], 'postgres'],
  ])('is refused if lines name no place, or two: %j', async (lines, problem) => {
    const project = Project.with(...lines)
    const { code, message } = await refusalOf(project.load())
    expect(code).toBe('INVALID')
    expect(message.replaceAll(project.file, 'FILE')).toContain(problem)
  })

  it.each([
    'postgres://',
    'postgres://me:hunter2@h',
    'postgres://me:hunter2/ss@h/db',
    'postgres://me:hunter2?ss@h/db',
    'postgres://h/db?password=hunter2',
    'postgres:hunter2@h/db',
  ])('refuses %s, and does not repeat a password', async (address) => {
    const { code, message, hint } = await refusalOf(new Project().load(at(address)))
    expect([code, /hunter2/.test(message + hint)]).toEqual(['INVALID', false])
  })

  it('can not have its identity in another place', async () => {
    const config = await Project.with('workspace: postgres://h/db', 'identity_file: ../Crab.md').load()
    expect(() => optionsOf(config)).toThrow(/outside of the server$/)
  })
})
