/**
 * The proof that all else on a server stands on: an ordered log holds with several writers on a real server, while that is killed and
 * started again, and while writers are killed. Every append that a writer was told to have won is there once, whole, where it
 * was told; nothing is half; and no reader ever sees a position change. The nightly run does so for minutes.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { ServerPlace } from '../../src/model/server-address.ts'
import type { LogRecord } from '../../src/stores/chroma/log/log-record.ts'
import { NumberedLog } from '../../src/stores/chroma/log/numbered-log.ts'
import { connect } from '../../src/stores/chroma/server/connection.ts'
import type { Shelf, ShelfRecord } from '../../src/stores/chroma/server/shelf.ts'
import { isNightly } from '../tier.ts'
import { describeOnServer } from './server.ts'

const ROUNDS = isNightly ? 30 : 1
const WRITERS = isNightly ? 4 : 2
const PLACE = { generation: 'proof', kind: 'c', prefix: 'proof/c/' }
const program = fileURLToPath(new URL('log-writer.mjs', import.meta.url))

interface Account {
  /** What was begun, and may be there where no more is known of it. */
  readonly tried: Set<string>
  /** By what was won, where. */
  readonly won: Map<string, number>
}

describeOnServer('a log on a real server', (server) => {
  it(`loses nothing: ${WRITERS} writers, ${ROUNDS} kills of the server and of writers`, {
    timeout: 120_000 + ROUNDS * 20_000,
  }, async () => {
    const place = await server.place()
    const writers = new Writers(place)
    const reader = new Reader(place)
    for (let n = 0; n < WRITERS; n++) writers.start()
    await writers.haveWon(4)
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(Math.random() * 300)
      const before = writers.account.won.size
      await server.kill()
      await server.restart()
      await writers.haveWon(before + 8)
      await reader.look()
      await writers.killOne()
      writers.start()
    }
    await writers.end()
    await reader.look()
    check(await reader.all(), writers.account, reader.seen)
    console.log(`on the server: ${writers.account.won.size} of ${writers.account.tried.size} appends acknowledged`)
  })

  it('takes a record that arrives after its writer gave up, or leaves the position to another', async () => {
    const place = await server.place()
    const log = new NumberedLog(connect(place).log, PLACE)
    for (let position = 1; position <= (isNightly ? 20 : 1); position++) {
      // The server stands still while the record is on its way, and goes on when nobody waits for it any more.
      const hasty = connect(place, { requestMs: 300 })
      await hasty.prepare()
      const stopping = new Stopping(hasty.log, server.pid)
      await expect(new NumberedLog(stopping, PLACE).append(position, 'late', { patienceMs: 0 })).rejects.toMatchObject({
        data: { unknown: true },
      })
      process.kill(server.pid, 'SIGCONT')
      const outcome = await log.append(position, 'in time')
      const [record] = (await log.read(position - 1)) ?? []
      expect(record?.text).toBe(outcome === 'won' ? 'in time' : 'late')
      await sleep(100)
      expect(await log.read(position - 1)).toEqual([record])
    }
  })

  it('keeps a position taken, and reads what was rewritten', async () => {
    const log = new NumberedLog(connect(await server.place()).log, PLACE)
    const long = 'longer than a record… '.repeat(3000)
    for (const position of [1, 2]) expect(await log.append(position, long)).toBe('won')
    for (const text of ['short', `${long}${long}`, '', 'tab\t and "quotes" and 🙂']) {
      const [, record] = (await log.read(0)) ?? []
      if (!record) throw new Error('not there')
      await log.rewrite(record, text)
      expect(await log.read(1)).toMatchObject([{ position: 2, tag: record.tag, text }])
    }
    await log.erase((await log.read(0, { most: 1 })) ?? [])
    expect(await log.append(1, 'again')).toBe('lost')
    expect(await log.read(0)).toBeUndefined()
    expect(await log.last()).toBe(2)
    expect(await log.read(1)).toHaveLength(1)
  })
})

class Writers {
  readonly account: Account = { tried: new Set(), won: new Map() }
  readonly #place: ServerPlace
  readonly #running = new Map<ChildProcess, Promise<void>>()
  #started = 0

  constructor(place: ServerPlace) {
    this.#place = place
  }

  start(): void {
    const name = `w${++this.#started}`
    const args = [program, JSON.stringify({ server: this.#place, place: PLACE }), name]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#take(line)
    })
    const closed = new Promise<void>((resolve, reject) => {
      child.on('close', (status, signal) => {
        this.#running.delete(child)
        if (status === 0 || signal === 'SIGKILL') resolve()
        else reject(new Error(`${name} ended with ${status ?? signal}`))
      })
    })
    this.#running.set(child, closed)
  }

  #take(line: string): void {
    const [told, what = '', position] = line.split(' ')
    if (told === 'try') this.account.tried.add(what)
    if (told === 'won') this.account.won.set(what, Number(position))
  }

  /** So many, together. A writer that fails is told at once. */
  async haveWon(count: number): Promise<void> {
    const failed = Promise.race(this.#running.values()).then(() => {
      throw new Error('a writer ended')
    })
    const reached = async (): Promise<void> => {
      while (this.account.won.size < count) await sleep(10)
    }
    await Promise.race([reached(), failed])
  }

  async killOne(): Promise<void> {
    const [child, closed] = [...this.#running][0] ?? []
    child?.kill('SIGKILL')
    await closed
  }

  async end(): Promise<void> {
    const ended = [...this.#running.values()]
    for (const child of this.#running.keys()) child.stdin?.end()
    await Promise.all(ended)
  }
}

/** A shelf whose server stands still as soon as something is added. */
class Stopping implements Shelf {
  readonly #shelf: Shelf
  readonly #pid: number

  constructor(shelf: Shelf, pid: number) {
    this.#shelf = shelf
    this.#pid = pid
  }

  async add(records: readonly ShelfRecord[]): Promise<void> {
    const adding = this.#shelf.add(records)
    const [added] = await Promise.allSettled([adding, this.#stop()])
    if (added.status === 'rejected') throw added.reason
  }

  /** Before the record is there, while it is written, or after. */
  async #stop(): Promise<void> {
    await sleep(Math.random() * 8)
    process.kill(this.#pid, 'SIGSTOP')
    while (!isStopped(this.#pid)) await sleep(1)
  }

  put: Shelf['put'] = (...given) => this.#shelf.put(...given)
  get: Shelf['get'] = (...given) => this.#shelf.get(...given)
  find: Shelf['find'] = (...given) => this.#shelf.find(...given)
  findIds: Shelf['findIds'] = (...given) => this.#shelf.findIds(...given)
  remove: Shelf['remove'] = (...given) => this.#shelf.remove(...given)
}

/** Whether all threads of a process have stopped. On a busy machine, some still run for a moment after SIGSTOP. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return true
  const states = readdirSync(tasks).map((task) => /\) (\w)/.exec(readFileSync(`${tasks}/${task}/stat`, 'utf8'))?.[1])
  return states.every((state) => state === 'T')
}

class Reader {
  /** What stood at a position when it was first read. */
  readonly seen = new Map<number, string>()
  readonly #log: NumberedLog

  constructor(place: ServerPlace) {
    this.#log = new NumberedLog(connect(place).log, PLACE)
  }

  async look(): Promise<void> {
    for (const { position, text } of await this.#read(this.seen.size)) this.seen.set(position, text)
  }

  all(): Promise<readonly LogRecord[]> {
    return this.#read(0)
  }

  async #read(after: number): Promise<readonly LogRecord[]> {
    return (await this.#log.read(after)) ?? []
  }
}

function check(records: readonly LogRecord[], { tried, won }: Account, seen: ReadonlyMap<number, string>): void {
  const positions = new Map<string, number>()
  for (const { position, text } of records) {
    const what = wholeOf(text)
    expect(tried.has(what), `${what} was begun`).toBe(true)
    expect(positions.get(what), `${what} stands once`).toBeUndefined()
    positions.set(what, position)
  }
  for (const [what, position] of won) expect(positions.get(what), what).toBe(position)
  for (const [position, text] of seen) expect(records[position - 1]?.text, `at ${position}`).toBe(text)
  expect(records.map(({ position }) => position)).toEqual(records.map((_, at) => at + 1))
}

/** What an append is, where its text is the one that was written. */
function wholeOf(text: string): string {
  const rest = text.slice(17)
  expect(text.slice(0, 16)).toBe(createHash('sha256').update(rest).digest('hex').slice(0, 16))
  return rest.slice(0, rest.indexOf(' '))
}
