/** Many processes write to one memory while the server and some of them are killed: no acknowledged write is lost or written twice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { parsePostgresAddress } from '../../src/model/postgres-address.ts'
import { examinePostgres } from '../../src/stores/doctor/postgres.ts'
import { postgresStore } from '../../src/stores/postgres/store.ts'
import { scanned } from '../../src/testing/requests.ts'
import { describeOnPostgres } from './server.ts'

const WRITER = resolve(import.meta.dirname, 'writer.mjs')
const PROCESSES = 16
const WRITES = 200
const SERVER_KILLS = 5
/** Of the processes, at the first deaths of the server. */
const WRITER_KILLS = 3

interface Writer {
  readonly name: string
  readonly child: ChildProcess
  readonly lines: readonly string[]
  readonly ready: Promise<void>
  /** Its stderr; rejects if it failed. */
  readonly ended: Promise<string>
}

function startWriter(url: string, n: number): Writer {
  const name = `writer-${n}`
  const child = spawn(process.execPath, [WRITER, url, name, String(WRITES)], { stdio: 'pipe' })
  const lines: string[] = []
  let [rest, stderr] = ['', '']
  let isReady: () => void = () => undefined
  const ready = new Promise<void>((done) => {
    isReady = done
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) line === 'ready' ? isReady() : lines.push(line)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined) // it was killed before it read
  const ended = new Promise<string>((done, fail) => {
    child.on('close', (status, signal) => {
      if (status === 0 || signal === 'SIGKILL') done(stderr)
      else fail(new Error(`${name} ended with ${status ?? signal}: ${stderr}`))
    })
  })
  return { name, child, lines, ready, ended }
}

function countLines(writers: readonly Writer[]): number {
  return writers.reduce((sum, { lines }) => sum + lines.length, 0)
}

describeOnPostgres(
  'many processes on one memory',
  (server) => {
    it('lose no acknowledged write and repeat none, though the server and some of them are killed', async () => {
      const url = server.freshUrl()
      const writers = Array.from({ length: PROCESSES }, (_, n) => startWriter(url, n))
      await Promise.all(writers.map(({ ready }) => ready))
      for (const { child } of writers) child.stdin?.end()
      let problem: unknown
      for (const { ended } of writers) ended.catch((error) => (problem = error))
      const total = PROCESSES * WRITES
      for (let kill = 1; kill <= SERVER_KILLS; kill++) {
        const until = (total * kill) / (SERVER_KILLS + 2)
        while (countLines(writers) < until) {
          if (problem !== undefined) throw problem
          await sleep(5)
        }
        if (kill <= WRITER_KILLS) writers[kill]?.child.kill('SIGKILL')
        await server.restart()
      }
      await Promise.all(writers.map(({ ended }) => ended))

      const place = parsePostgresAddress(url)
      const store = postgresStore({ place })
      const entries = await scanned(store)
      const changes = await store.changes()
      await store.close()
      const names = entries.map(({ name }) => String(name))
      expect(new Set(names).size).toBe(names.length)
      const there = new Set(names)
      const byNumber = new Map(changes.map(({ change, touched }) => [change.number, touched[0]?.after?.name]))
      for (const { name, lines } of writers) {
        for (const line of lines) {
          const [, number, called] = /^(?:done (\d+)|found) (.*)$/.exec(line) ?? []
          expect(there.has(String(called)), line).toBe(true)
          if (number !== undefined) expect(byNumber.get(Number(number)), line).toBe(called)
        }
        const isKilled = writers.findIndex((writer) => writer.name === name) in [0, 1, 2, 3] && lines.length < WRITES
        if (!isKilled) expect(lines.length, name).toBe(WRITES)
      }
      expect(changes.map(({ change }) => change.number).reverse()).toEqual(changes.map((_, n) => n + 1))
      const { findings } = await examinePostgres({ place, lockMs: 10_000, requestMs: 10_000 }, {})
      expect(findings).toEqual([])
    }, 180_000)
  },
  { onDisk: true },
)
