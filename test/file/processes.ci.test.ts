/** Many processes on one file: no acknowledged write is lost or doubled, each process gets its share, and one file is left. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { examineFile } from '../../src/stores/doctor/file.ts'
import { findFile } from '../../src/stores/engine/sqlite-file.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { seededRandom } from '../../src/testing/random.ts'
import { apply, note, scanned } from '../../src/testing/requests.ts'
import { isNightly, seed } from '../tier.ts'

const WRITER = resolve(import.meta.dirname, 'writer.mjs')
const PROCESSES = 8
const ACKNOWLEDGED = isNightly ? 10_000 : 400
const FAIR_WRITES = isNightly ? 1000 : 150
/** For an otherwise idle machine: while other programs use its cores, a process may wait longer. */
const MAX_COMMITS_BETWEEN = isNightly ? 50 : 100

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-processes-'))
  path = join(folder, 'memory.keepsake')
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

interface Acknowledged {
  readonly number: number
  readonly name: string
}

interface Writer {
  readonly child: ChildProcess
  readonly ready: Promise<void>
  /** What it acknowledged; rejects if it failed. */
  readonly ended: Promise<readonly Acknowledged[]>
  readonly acknowledged: readonly Acknowledged[]
}

function startWriter(name: string, count: number, kind: 'entries' | 'sessions' | 'purges' = 'entries'): Writer {
  const child = spawn(process.execPath, [WRITER, path, name, String(count), kind], { stdio: 'pipe' })
  const acknowledged: Acknowledged[] = []
  let [rest, stderr] = ['', '']
  const ready = new Promise<void>((done) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [number, ...words] = line.split(' ')
        if (line === 'ready') done()
        else acknowledged.push({ number: Number(number), name: words.join(' ') })
      }
    })
    child.on('close', () => done())
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined) // it was killed before it read
  const ended = new Promise<readonly Acknowledged[]>((done, fail) => {
    child.on('close', (status, signal) => {
      if (status === 0 || signal === 'SIGKILL') done(acknowledged)
      else fail(new Error(`${name} ended with ${status ?? signal}: ${stderr}`))
    })
  })
  return { child, ready, ended, acknowledged }
}

async function runTogether(writers: readonly Writer[]): Promise<(readonly Acknowledged[])[]> {
  await Promise.all(writers.map(({ ready }) => ready))
  for (const { child } of writers) child.stdin?.end()
  return Promise.all(writers.map(({ ended }) => ended))
}

/** Everything acknowledged is there once, and the doctor finds nothing. */
async function check(acknowledged: readonly Acknowledged[]): Promise<void> {
  const store = fileStore({ path })
  const entries = await scanned(store)
  const changes = await store.changes()
  await store.close()
  const count = new Map<string, number>()
  for (const { name } of entries) count.set(name ?? '', (count.get(name ?? '') ?? 0) + 1)
  expect(acknowledged.filter(({ name }) => count.get(name) !== 1)).toEqual([])
  const doubled = [...count].filter(([, times]) => times > 1)
  expect(doubled).toEqual([])
  const byNumber = new Map(changes.map(({ change, touched }) => [change.number, touched[0]?.after?.name]))
  expect(acknowledged.filter(({ number, name }) => byNumber.get(number) !== name)).toEqual([])
  const numbers = changes.map(({ change }) => change.number).reverse()
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n + 1))
  expect((await examineFile(path)).findings.filter(({ severity }) => severity === 'damage')).toEqual([])
}

async function numbersByWriter(): Promise<Map<string, number[]>> {
  const store = fileStore({ path })
  const numbers = new Map<string, number[]>()
  for (const { change } of [...(await store.changes())].reverse()) {
    const agent = change.origin.agent ?? ''
    numbers.set(agent, [...(numbers.get(agent) ?? []), change.number])
  }
  await store.close()
  return numbers
}

function checkOneFile(): void {
  expect(readdirSync(folder)).toEqual(['memory.keepsake'])
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
}

describe('eight processes', { timeout: 600_000 }, () => {
  it(`that are killed again and again lose nothing of ${ACKNOWLEDGED} acknowledged writes, and double nothing`, async () => {
    const random = seededRandom(seed)
    const all: Acknowledged[] = []
    let [started, killed] = [0, 0]
    const lane = async (): Promise<void> => {
      while (all.length < ACKNOWLEDGED) {
        const writer = startWriter(`w${++started}`, 1000)
        const wanted = 5 + random.int(isNightly ? 150 : 40)
        writer.child.stdout?.on('data', () => {
          if (writer.acknowledged.length >= wanted) writer.child.kill('SIGKILL')
        })
        writer.child.stdin?.end()
        all.push(...(await writer.ended))
        killed++
      }
    }
    await Promise.all(Array.from({ length: PROCESSES }, lane))
    expect(all.length).toBeGreaterThanOrEqual(ACKNOWLEDGED)
    expect(killed).toBeGreaterThanOrEqual(PROCESSES)
    await check(all)
    checkOneFile()
  })

  it('that create the same file at once write to one memory', async () => {
    for (let round = 0; round < (isNightly ? 20 : 3); round++) {
      const writers = Array.from({ length: PROCESSES }, (_, n) => startWriter(`w${n}`, 3))
      const acknowledged = (await runTogether(writers)).flat()
      expect(acknowledged).toHaveLength(3 * PROCESSES)
      await check(acknowledged)
      checkOneFile()
      rmSync(path)
    }
  })

  it('each get their share, including one that appends and one that purges, and none waits long', async () => {
    const kinds = ['sessions', 'purges', ...Array<'entries'>(PROCESSES - 2).fill('entries')] as const
    // More than any of them writes: they are killed once they have written enough together.
    const writers = kinds.map((kind, n) => startWriter(`w${n}`, 100_000, kind))
    await Promise.all(writers.map(({ ready }) => ready))
    const total = FAIR_WRITES * PROCESSES
    const isEnough = new Promise<void>((done) => {
      for (const { child } of writers) {
        child.stdout?.on('data', () => {
          if (writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0) >= total) done()
        })
      }
    })
    for (const { child } of writers) child.stdin?.end()
    await isEnough
    for (const { child } of writers) child.kill('SIGKILL')
    const all = await Promise.all(writers.map(({ ended }) => ended))
    const numbers = await numbersByWriter()
    const each = kinds.map((_, n) => numbers.get(`w${n}`) ?? [])
    // Only the time in which all of them wrote.
    const first = Math.max(...each.map((one) => one[0] ?? Number.POSITIVE_INFINITY))
    const last = Math.min(...each.map((one) => one.at(-1) ?? 0))
    const counted = each.map((one) => one.filter((number) => number >= first && number <= last))
    // An append is a commit without a number, and the process that appends makes one for each of its numbers.
    const commits = counted.map((one, n) => one.length * (kinds[n] === 'sessions' ? 2 : 1))
    const share = commits.reduce((sum, count) => sum + count, 0) / PROCESSES
    expect(share).toBeGreaterThan(FAIR_WRITES / 3)
    for (const [n, one] of counted.entries()) {
      expect(commits[n], `w${n}, ${kinds[n]}, of ${share}`).toBeGreaterThanOrEqual(share / 2)
      // The end of a purge has no number either, so these two processes wait twice between two numbers.
      const isPlain = kinds[n] === 'entries'
      const gaps = one.map((number, place) => number - (one[place - 1] ?? number))
      const most = MAX_COMMITS_BETWEEN * (isPlain ? 1 : 2)
      expect(Math.max(...gaps), `commits that w${n}, ${kinds[n]}, waited for`).toBeLessThanOrEqual(most)
    }
    await check(all.flat())
  })

  it('that exit at the same time leave one file', async () => {
    for (let round = 0; round < (isNightly ? 20 : 2); round++) {
      const writers = Array.from({ length: PROCESSES }, (_, n) => startWriter(`r${round} w${n}`, 5))
      await runTogether(writers)
      checkOneFile()
    }
  })
})

it('several processes that look at a truncated file at once change neither it nor its -wal', async () => {
  const store = fileStore({ path })
  for (let n = 0; n < 100; n++) await apply(store, [note(`note ${n}`, { content: 'x'.repeat(5000) })])
  const [whole, wal] = [readFileSync(path), readFileSync(`${path}-wal`)]
  await store.close()
  for (let round = 0; round < (isNightly ? 20 : 4); round++) {
    writeFileSync(path, whole.subarray(0, whole.length / 2 - ((whole.length / 2) % 4096)))
    writeFileSync(`${path}-wal`, wal)
    rmSync(`${path}-shm`, { force: true })
    const before = readFileSync(path)
    const outcomes = await Promise.allSettled(
      await Promise.all(Array.from({ length: 3 }, (_, n) => startWriter(`w${n}`, 1))).then((writers) => {
        for (const { child } of writers) child.stdin?.end()
        return writers.map(({ ended }) => ended)
      }),
    )
    for (const outcome of outcomes) expect(String((outcome as PromiseRejectedResult).reason)).toContain('DAMAGED')
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readFileSync(`${path}-wal`).equals(wal)).toBe(true)
  }
})

it.skipIf(!existsSync('/proc/locks'))(
  'looking at the header during a checkpoint releases no lock of the open store',
  async () => {
    const store = fileStore({ path })
    await apply(store, [note('first')])
    const { ino, size } = lstatSync(path)
    const locks = (): number =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(`:${ino} `)).length
    const held = locks()
    expect(held).toBeGreaterThan(0)
    // As in a checkpoint that enlarges the file: the first page is written, and counts pages that are not there yet.
    const script = `const fs = require('fs'); const fd = fs.openSync(process.argv[1], 'r+'); fs.writeSync(fd, Buffer.from([0, 1, 0, 0]), 0, 4, 28)`
    execFileSync(process.execPath, ['-e', script, path])
    expect(findFile(path)).toBeDefined()
    expect(locks()).toBe(held)
    execFileSync(process.execPath, ['-e', script.replace('0, 1, 0, 0', `0, 0, 0, ${size / 4096}`), path])
    await store.close()
  },
)

it('a store sees a file that replaced its own at the next call, and nothing acknowledged is lost', async () => {
  const other = join(folder, 'other.keepsake')
  const [store, otherStore] = [fileStore({ path }), fileStore({ path: other })]
  await apply(store, [note('in the first')])
  await apply(otherStore, [note('in the second')])
  await otherStore.close()
  const names = async (): Promise<(string | null)[]> => (await scanned(store)).map(({ name }) => name)
  await apply(store, [note('later in the first')])
  renameSync(path, join(folder, 'away.keepsake'))
  for (const ending of ['-wal', '-shm']) renameSync(path + ending, join(folder, `away.keepsake${ending}`))
  expect(await names()).toEqual([])
  renameSync(other, path)
  expect(await names()).toEqual(['in the second'])
  await apply(store, [note('more in the second')])
  expect(await names()).toEqual(['in the second', 'more in the second'])
  await store.close()
  const away = fileStore({ path: join(folder, 'away.keepsake') })
  expect((await scanned(away)).map(({ name }) => name)).toEqual(['in the first', 'later in the first'])
  await away.close()
})

it('a copy that replaced the file continues from where it was copied', async () => {
  const store = fileStore({ path })
  await apply(store, [note('first')])
  await store.close()
  copyFileSync(path, join(folder, 'copy'))
  const again = fileStore({ path })
  await apply(again, [note('second')])
  expect(await scanned(again)).toHaveLength(2)
  await again.close()
  renameSync(join(folder, 'copy'), path)
  const copy = fileStore({ path })
  expect((await apply(copy, [note('another second')])).change?.number).toBe(2)
  expect((await scanned(copy)).map(({ name }) => name)).toEqual(['first', 'another second'])
  await copy.close()
})
