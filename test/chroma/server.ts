/**
 * A real Chroma server for the tests of a file: started when the first of them runs, killed when the last is through, with its data in
 * the temporary folder. Several files can have theirs at once. Where the server can't run, the tests are skipped with the reason in their
 * name; in CI such a skip fails the stage. Nothing is fetched here: `npm run chroma -- --fetch` does that.
 */

import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe } from 'vitest'
import { chromaProgram, startChroma } from '../../scripts/chroma-program.mjs'
import { freePort } from '../../scripts/ports.mjs'
import { DEFAULT_TENANT, type ServerPlace } from '../../src/model/server-address.ts'
import { afterThisFile } from '../clean-up.ts'

/** Another file's server may have taken the port that was free a moment ago. */
const ATTEMPTS = 3

/** `tests` is called at once, to name them; the server runs only while they do. */
export function describeOnServer(title: string, tests: (server: ChromaServer) => void): void {
  const found = chromaProgram()
  if (found.problem === undefined) {
    describe(title, () => {
      const server = new ChromaServer(found.program)
      beforeAll(() => server.begin())
      tests(server)
    })
    return
  }
  const name = `${title} (no server: ${found.problem})`
  describe.skip(name, () => tests(new ChromaServer([])))
}

export class ChromaServer {
  readonly #program: string[]
  #folder: string | undefined
  #port: number | undefined
  #child: ChildProcess | undefined
  #ended: Promise<unknown> | undefined

  constructor(program: string[]) {
    this.#program = program
  }

  get port(): number {
    if (this.#port === undefined) throw new Error('the server runs only while its tests do')
    return this.#port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the server does not run')
    return this.#child.pid
  }

  async begin(): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'keepsake-chroma-'))
    afterThisFile(() => this.stop())
    for (let attempt = 1; ; attempt++) {
      this.#port = await freePort()
      const problem = await this.#start()
      if (problem === undefined) return
      if (attempt === ATTEMPTS) throw new Error(problem)
    }
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#ended
    this.#child = undefined
  }

  /** At the same address, with the data that it had; killed first where it runs. */
  async restart(): Promise<void> {
    await this.kill()
    const problem = await this.#start()
    if (problem !== undefined) throw new Error(problem)
  }

  /** With its data. */
  async stop(): Promise<void> {
    await this.kill()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }

  /** A database of its own, so that every test has its own memory. */
  async place(): Promise<ServerPlace> {
    const database = `test-${randomUUID()}`
    const answer = await fetch(`${this.url}/api/v2/tenants/${DEFAULT_TENANT}/databases`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: database }),
    })
    if (!answer.ok) throw new Error(`the server made no database: ${await answer.text()}`)
    return { url: this.url, tenant: DEFAULT_TENANT, database }
  }

  async #start(): Promise<string | undefined> {
    const folder = this.#folder
    if (folder === undefined) throw new Error('the server runs only while its tests do')
    const started = await startChroma({ program: this.#program, folder, port: this.port })
    if (started.problem !== undefined) return started.problem
    this.#child = started.child
    this.#ended = started.ended
    return undefined
  }
}
