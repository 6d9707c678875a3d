/**
 * A real PostgreSQL server for the tests of a `describe`: started when the first of them runs, killed after the file, with its data in
 * the temporary folder. It starts in half a second, so each file has its own and may kill it. Without PostgreSQL on this machine the
 * tests are skipped with the reason in their name; in CI such a skip fails the stage.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { beforeAll, describe } from 'vitest'
import {
  createReplica,
  type PostgresProgram,
  type PostgresServer,
  type PostgresSettings,
  postgresProgram,
  removePostgres,
  startPostgres,
} from '../../scripts/postgres-program.mjs'
import { afterThisFile } from '../clean-up.ts'

export interface PostgresTestOptions {
  /** Of the server. */
  readonly settings?: PostgresSettings
  /** Its data is on a disk, and not in RAM. For tests of durability. */
  readonly onDisk?: boolean
  /** Skips the tests if pgvector was not built: `npm run postgres -- --fetch` builds it. */
  readonly needsVector?: boolean
}

/** `tests` is called at once, to name them; the server runs only while they do. */
export function describeOnPostgres(
  title: string,
  tests: (server: PostgresTestServer) => void,
  options: PostgresTestOptions = {},
): void {
  const program = postgresProgram()
  const problem =
    program.problem ?? (options.needsVector && program.vector === undefined ? 'it has no pgvector' : undefined)
  const server = new PostgresTestServer(program.problem === undefined ? program : undefined, options)
  if (problem === undefined) {
    describe(title, () => {
      beforeAll(() => server.begin())
      tests(server)
    })
    return
  }
  describe.skip(`${title} (no server: ${problem})`, () => tests(server))
}

export class PostgresTestServer {
  readonly #program: PostgresProgram | undefined
  readonly #options: PostgresTestOptions
  #folder: string | undefined
  #server: PostgresServer | undefined

  constructor(program: PostgresProgram | undefined, options: PostgresTestOptions) {
    this.#program = program
    this.#options = options
  }

  /** Then `url()` has the extension. Only a superuser may create it elsewhere. */
  get hasVector(): boolean {
    return this.#program?.vector !== undefined
  }

  get port(): number {
    return this.#running.port
  }

  get password(): string {
    return this.#running.password
  }

  /** Of the postmaster. */
  get pid(): number {
    return this.#running.pid
  }

  get log(): string {
    return this.#running.log
  }

  /** As the superuser, in the database of `url()`. */
  get superuserUrl(): string {
    return this.#running.superuserUrl
  }

  /** Connects as `keepsake`, the owner of the database `keepsake`. `schema` is a parameter of the address; it is not created here. */
  url(schema?: string): string {
    const { url } = this.#running
    return schema === undefined ? url : `${url}?schema=${encodeURIComponent(schema)}`
  }

  /** A URL with a schema that no other test uses. */
  freshUrl(): string {
    return this.url(`test_${randomUUID().replaceAll('-', '')}`)
  }

  /** A new database, which belongs to `keepsake`, with the extension `vector` if the server has it, unless told not to. Its URL. */
  async createDatabase({ hasVector = true }: { readonly hasVector?: boolean } = {}): Promise<string> {
    const database = `test-${randomUUID()}`
    const { user } = this.#running
    await this.query(`CREATE DATABASE "${database}" OWNER "${user}" TEMPLATE template${hasVector ? 1 : 0}`)
    return this.#running.urlFor(user, database)
  }

  /** Runs one statement on a connection of its own, as the superuser if no other URL is given. Its rows. */
  async query<Row extends object>(
    sql: string,
    values: readonly unknown[] = [],
    url: string = this.superuserUrl,
  ): Promise<readonly Row[]> {
    const client = new Client({ connectionString: url })
    // Without a listener, a server that dies would end the process.
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(sql, [...values])).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  async begin(): Promise<void> {
    afterThisFile(() => this.stop())
    this.#folder = this.#makeFolder('keepsake-postgres-')
    this.#server = await this.#start(this.#folder)
  }

  /** SIGKILL to the postmaster; resolves when its children are gone too. */
  async kill(): Promise<void> {
    await this.#running.kill()
  }

  /** At the same port, with the data that it had; killed first if it runs. */
  async restart(): Promise<void> {
    const { port, folder } = this.#running
    await this.kill()
    this.#server = await this.#start(folder, port)
  }

  /** A streaming replica, which ends with the file. `name` is what `synchronous_standby_names` calls it. */
  async createReplica(name = 'replica'): Promise<PostgresServer> {
    const folder = this.#makeFolder('keepsake-replica-')
    const replica = await createReplica({
      primary: this.#running,
      folder,
      name,
      settings: this.#options.settings,
      isTemporary: true,
    })
    if (replica.problem !== undefined) throw new Error(replica.problem)
    afterThisFile(async () => {
      await replica.kill()
      removePostgres(folder)
    })
    return replica
  }

  /** With its data. */
  async stop(): Promise<void> {
    await this.#server?.kill()
    this.#server = undefined
    if (this.#folder !== undefined) removePostgres(this.#folder)
    this.#folder = undefined
  }

  get #running(): PostgresServer {
    if (this.#server === undefined) throw new Error('the server runs only while its tests do')
    return this.#server
  }

  async #start(folder: string, port?: number): Promise<PostgresServer> {
    if (this.#program === undefined) throw new Error('there is no server on this machine')
    const server = await startPostgres({
      binFolder: this.#program.binFolder,
      folder,
      port,
      settings: this.#options.settings,
      isTemporary: true,
    })
    if (server.problem !== undefined) throw new Error(server.problem)
    return server
  }

  #makeFolder(prefix: string): string {
    const onDisk = this.#options.onDisk ? process.env['TMPDIR_ON_DISK'] : undefined
    return mkdtempSync(join(onDisk ?? tmpdir(), prefix))
  }
}
