/** `npm run chroma`, and the server that the tests of this folder run on. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ChromaClient } from 'chromadb'
import { expect, it } from 'vitest'
import { answersAt, freePort } from '../../scripts/chroma-program.mjs'
import { afterThisFile } from '../clean-up.ts'
import { describeOnServer } from './server.ts'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/chroma.mjs')

class Run {
  readonly child: ChildProcess
  readonly status: Promise<number | null>
  said = ''

  constructor(...args: readonly (string | number)[]) {
    this.child = spawn(process.execPath, [SCRIPT, ...args.map(String)], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk) => {
        this.said += chunk
      })
    }
    this.status = once(this.child, 'close').then(([code]) => code)
    afterThisFile(() => this.child.kill('SIGKILL'))
  }

  async untilReady(): Promise<this> {
    const ended = this.status.then((status) => `ended with ${status}: ${this.said}`)
    for (;;) {
      if (this.said.includes('to stop it')) return this
      const problem = await Promise.race([ended, delay(20, undefined)])
      if (problem !== undefined) throw new Error(problem)
    }
  }
}

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-chroma-'))
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20)
}

describeOnServer('npm run chroma', () => {
  it('says where it is, keeps its data in the folder that it names, and ends with 0 when it is asked to', async () => {
    const [port, folder] = [await freePort(), dataFolder()]
    const run = await new Run('--port', port, '--path', folder).untilReady()
    expect(run.said).toContain(`Chroma answers at http://127.0.0.1:${port}`)
    expect(run.said).toContain(`--workspace chroma://127.0.0.1:${port}`)
    expect(run.said).toContain(folder.split('/').at(-1))
    const client = new ChromaClient({ host: '127.0.0.1', port })
    await client.createCollection({ name: 'kept', embeddingFunction: null })
    run.child.kill('SIGTERM')
    expect(await run.status).toBe(0)
    expect(await answersAt(`http://127.0.0.1:${port}`)).toBe(false)

    const again = await new Run('--port', port, '--path', folder).untilReady()
    expect((await client.listCollections()).map(({ name }) => name)).toEqual(['kept'])
    again.child.kill('SIGINT')
    expect(await again.status).toBe(0)
  })

  it('leaves no server behind when it is killed itself', async () => {
    const port = await freePort()
    const run = await new Run('--port', port, '--path', dataFolder()).untilReady()
    run.child.kill('SIGKILL')
    await run.status
    await until(async () => !(await answersAt(`http://127.0.0.1:${port}`)))
  })

  it('leaves no server behind when the npm that runs it is ended', async () => {
    const [port, folder] = [await freePort(), dataFolder()]
    // As npm does it: the shell waits for the script, and a signal reaches only the shell.
    const args = ['-c', '"$0" "$@"; :', process.execPath, SCRIPT, '--port', String(port), '--path', folder]
    const env = { ...process.env, npm_lifecycle_event: 'chroma' }
    const shell = spawn('sh', args, { env, stdio: 'ignore' })
    await until(() => answersAt(`http://127.0.0.1:${port}`))
    shell.kill('SIGTERM')
    await until(async () => !(await answersAt(`http://127.0.0.1:${port}`)))
  })

  it('tells that a port is taken, and fails', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    const run = new Run('--port', port, '--path', dataFolder())
    expect(await run.status).toBe(1)
    expect(run.said).toMatch(/^chroma: port \d+ is taken/)
    other.close()
  })
})

it.each([
  ['--port', 'x'],
  ['--port', '70000'],
  ['--prot', '8000'],
])('tells what is wrong with %s %s', async (...args) => {
  const run = new Run(...args)
  expect(await run.status).toBe(2)
  expect(run.said).toContain('Usage: npm run chroma')
})

describeOnServer('the server of the tests', (server) => {
  it('keeps what it had acknowledged when it is killed, and starts again at the same address', async () => {
    const { database } = await server.place()
    const client = new ChromaClient({ host: '127.0.0.1', port: server.port, database })
    await client.createCollection({ name: 'kept', embeddingFunction: null })
    const { pid } = server
    await server.kill()
    expect(await answersAt(server.url)).toBe(false)
    await server.restart()
    expect(server.pid).not.toBe(pid)
    expect((await client.listCollections()).map(({ name }) => name)).toEqual(['kept'])
  })

  it('gives every test a place of its own', async () => {
    const [one, other] = [await server.place(), await server.place()]
    expect(one.database).not.toBe(other.database)
  })
})
