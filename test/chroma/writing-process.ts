/**
 * A process that writes to a real server until it is ended or killed, and tells on its output before (`try N`) and after (`done N`) each
 * write what became of it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServerPlace } from '../../src/model/server-address.ts'
import type { ChromaServer } from './server.ts'

export class WritingProcess {
  readonly name: string
  /** Acknowledged. */
  readonly done: number[] = []
  /** The last that was begun. */
  tried = 0
  readonly #child: ChildProcess
  readonly #closed: Promise<void>

  /** `program`: beside this file. */
  constructor(program: string, place: ServerPlace, name: string) {
    this.name = name
    const args = [fileURLToPath(new URL(program, import.meta.url)), JSON.stringify(place), name]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#take(line)
    })
    this.#child = child
    this.#closed = new Promise((resolve, reject) => {
      child.on('close', (status, signal) => {
        if (status === 0 || signal === 'SIGKILL') resolve()
        else reject(new Error(`writer ${name} ended with ${status ?? signal}`))
      })
    })
  }

  #take(line: string): void {
    const [told, n] = line.split(' ')
    if (told === 'try') this.tried = Number(n)
    else this.done.push(Number(n))
  }

  async hasDone(count: number): Promise<void> {
    const failed = this.#closed.then(() => {
      throw new Error(`writer ${this.name} ended`)
    })
    const reached = async (): Promise<void> => {
      while (this.done.length < count) await sleep(10)
    }
    await Promise.race([reached(), failed])
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed
  }

  async end(): Promise<void> {
    this.#child.stdin?.end()
    await this.#closed
  }
}

/** Until each has written after every kill of the server; in the end the first of them is killed, too. */
export async function throughKills(
  writers: readonly WritingProcess[],
  server: Pick<ChromaServer, 'kill' | 'restart'>,
  kills: number,
): Promise<void> {
  await Promise.all(writers.map((writer) => writer.hasDone(2)))
  for (let kill = 0; kill < kills; kill++) {
    await sleep(Math.random() * 200)
    await server.kill()
    await server.restart()
    await Promise.all(writers.map((writer) => writer.hasDone(writer.done.length + 3)))
  }
  await writers[0]?.kill()
  await Promise.all(writers.slice(1).map((writer) => writer.end()))
}
