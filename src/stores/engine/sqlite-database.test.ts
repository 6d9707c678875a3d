/** Shared transactions: one for many batches, each batch refused alone, none acknowledged before COMMIT; and waiting for a lock. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StorageError } from '../../errors.ts'
import type { Applied } from '../../ports/store.ts'
import { apply, MAIN, note, scanned } from '../../testing/requests.ts'
import { type FileStore, fileStore } from '../file/store.ts'
import { Connection } from './sqlite.ts'

let folder: string
let path: string
let store: FileStore
const opened: { close(): unknown }[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-database-'))
  path = join(folder, 'memory.keepsake')
  store = open()
  await apply(store, [note('first')])
})

afterEach(async () => {
  vi.restoreAllMocks()
  for (const one of opened.splice(0).reverse()) await one.close()
  rmSync(folder, { recursive: true })
})

function open(lockWaitMs = 10_000): FileStore {
  const made = fileStore({ path, lockWaitMs, timezone: 'UTC' })
  opened.push(made)
  return made
}

/** Another connection that is in a write transaction until `release`. */
function holdLock(): { release(): void } {
  const connection = new Connection(path)
  opened.push(connection)
  connection.exec('BEGIN IMMEDIATE')
  return { release: () => connection.exec('ROLLBACK') }
}

/** Counts the write transactions that begin from here on. */
function countTransactions(): () => number {
  const spy = vi.spyOn(Connection.prototype, 'execUnlessBusy')
  return () =>
    spy.mock.calls.filter(([sql], n) => sql === 'BEGIN IMMEDIATE' && spy.mock.results[n]?.value === true).length
}

const names = async (from: FileStore): Promise<(string | null)[]> => (await scanned(from)).map(({ name }) => name)

describe('group commit', () => {
  it('commits 200 concurrent batches in few transactions, in their order, each as a change of its own', async () => {
    const transactions = countTransactions()
    const all = await Promise.all(Array.from({ length: 200 }, (_, n) => apply(store, [note(`note ${n}`)])))
    expect(transactions()).toBeLessThanOrEqual(Math.ceil(200 / 64) + 1)
    expect(all.map(({ change }) => change?.number)).toEqual(Array.from({ length: 200 }, (_, n) => n + 2))
    expect(await names(store)).toEqual(['first', ...Array.from({ length: 200 }, (_, n) => `note ${n}`)])
  })

  it('refuses a failing batch alone, and all of it', async () => {
    const transactions = countTransactions()
    const wanted = Array.from({ length: 60 }, (_, n) =>
      n % 20 === 7
        ? apply(store, [note(`half ${n}`), { op: 'rename', id: '00000000-0000-7000-8000-000000000404', name: 'x' }])
        : apply(store, [note(`note ${n}`)]),
    )
    const outcomes = await Promise.allSettled(wanted)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused.map(({ code }) => code)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
    expect((await names(store)).filter((name) => name?.startsWith('half'))).toEqual([])
    expect(await names(store)).toHaveLength(58)
    expect(transactions()).toBeLessThanOrEqual(2)
    const { changes } = await store.feed()
    expect(changes.map(({ number }) => number)).toEqual(Array.from({ length: 58 }, (_, n) => n + 1))
  })

  it('begins another transaction after 4 MB', async () => {
    const transactions = countTransactions()
    const content = 'x'.repeat(1_500_000)
    await Promise.all(Array.from({ length: 6 }, (_, n) => apply(store, [note(`long ${n}`, { content })])))
    expect(transactions()).toBe(3)
  })

  it('refuses all when COMMIT fails, acknowledges none, and works again', async () => {
    const { exec } = Connection.prototype
    let isFailing = true
    const spy = vi.spyOn(Connection.prototype, 'exec').mockImplementation(function (this: Connection, sql) {
      const isWrite = spy.mock.calls.some(([one]) => one === 'SAVEPOINT job')
      if (sql === 'COMMIT' && isWrite && isFailing)
        throw new StorageError('writing', path, new Error('EIO'), 'Try again.')
      exec.call(this, sql)
    })
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => apply(store, [note(`lost ${n}`)])))
    isFailing = false
    expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill('rejected'))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'IO' } })
    expect(await names(open())).toEqual(['first'])
    expect(await names(store)).toEqual(['first'])
    await apply(store, [note('again')])
    expect(await names(open())).toEqual(['first', 'again'])
  })

  it('refuses all of a transaction when a statement fails in it', async () => {
    const { run } = Connection.prototype
    const spy = vi.spyOn(Connection.prototype, 'run').mockImplementation(async function (
      this: Connection,
      sql,
      values,
    ) {
      if (sql.startsWith('INSERT INTO versions') && values?.[0] === bad) {
        // STRICT: a real error of SQLite's, in the middle of the transaction.
        return run.call(this, sql, ['x', 'no number', ...(values ?? []).slice(2)])
      }
      return run.call(this, sql, values)
    })
    const bad = '00000000-0000-7000-8000-0000000000bd'
    const outcomes = await Promise.allSettled([
      apply(store, [note('one')]),
      apply(store, [note('two', { id: bad })]),
      apply(store, [note('three')]),
    ])
    spy.mockRestore()
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'IO' } })
    expect(await names(store)).toEqual(['first'])
    expect((await apply(store, [note('four')])).change?.number).toBe(2)
  })

  it('acknowledges none of them before the transaction is durable', async () => {
    const events: string[] = []
    const { exec } = Connection.prototype
    vi.spyOn(Connection.prototype, 'exec').mockImplementation(function (this: Connection, sql) {
      exec.call(this, sql)
      if (sql === 'COMMIT' && events.includes('job')) events.push('COMMIT')
      if (sql === 'RELEASE job') events.push('job')
    })
    const work = ['a', 'b', 'c'].map(async (name) => {
      await apply(store, [note(name)])
      events.push('answer')
    })
    await Promise.all(work)
    expect(events.slice(0, 7)).toEqual(['job', 'job', 'job', 'COMMIT', 'answer', 'answer', 'answer'])
  })
})

describe('while another connection holds the lock', () => {
  it('every way to run a statement reports that it is busy, not that the disk is bad', async () => {
    const lock = holdLock()
    const connection = new Connection(path)
    opened.push(connection)
    const insert = "INSERT INTO leases VALUES ('n', 'h', 1, 1)"
    expect(connection.execUnlessBusy(insert)).toBe(false)
    expect(connection.unlessBusy(() => connection.allNow(`${insert} RETURNING name`))).toBeUndefined()
    lock.release()
    expect(connection.unlessBusy(() => connection.allNow(`${insert} RETURNING name`))).toEqual([{ name: 'n' }])
  })

  it('a write waits, and reads go on', async () => {
    const lock = holdLock()
    let isDone = false
    const write = apply(store, [note('later')]).finally(() => {
      isDone = true
    })
    for (let n = 0; n < 5; n++) expect(await names(store)).toEqual(['first'])
    expect(isDone).toBe(false)
    lock.release()
    expect((await write).change?.number).toBe(2)
  })

  it('an abort signal cancels a waiting write, and no other', async () => {
    const lock = holdLock()
    const aborting = new AbortController()
    const reason = new Error('not wanted any more')
    const options = { signal: aborting.signal }
    const batch = { operations: [note('aborted')], origin: MAIN }
    const withoutReason = new AbortController()
    const [unexplained, aborted, append, kept] = [
      store.apply(batch, { signal: withoutReason.signal }),
      store.apply(batch, options),
      store.sessions.append('main', 'chat', [{ n: 1 }], options),
      apply(store, [note('kept')]),
    ]
    await store.get('one read, so that the wait has begun')
    withoutReason.abort(null)
    aborting.abort(reason)
    await expect(unexplained).rejects.toBe(null)
    await expect(aborted).rejects.toBe(reason)
    await expect(append).rejects.toBe(reason)
    await expect(store.apply(batch, options)).rejects.toBe(reason)
    lock.release()
    expect((await kept).change?.number).toBe(2)
    expect(await names(store)).toEqual(['first', 'kept'])
    expect(await store.sessions.list('main')).toEqual([])
  })

  it('a write that has waited too long fails with LOCKED, and is not applied later', async () => {
    const lock = holdLock()
    const impatient = open(20)
    const writes: readonly Promise<unknown>[] = [
      apply(impatient, [note('never')]),
      impatient.sessions.append('main', 'chat', [{ n: 1 }]),
      impatient.purge([(await scanned(store))[0]?.id ?? '']),
      impatient.lease('work'),
    ]
    for (const outcome of await Promise.allSettled(writes)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'LOCKED', hint: expect.any(String) } })
    }
    expect(await names(impatient)).toEqual(['first'])
    lock.release()
    await apply(impatient, [note('then')])
    expect(await names(store)).toEqual(['first', 'then'])
  })

  it('a write that came later is not refused with one that has waited too long', async () => {
    const lock = holdLock()
    const patient = open(300)
    const attempts = vi.spyOn(Connection.prototype, 'execUnlessBusy')
    const first = apply(patient, [note('too early')]).finally(lock.release)
    const refused = expect(first).rejects.toMatchObject({ code: 'LOCKED' })
    await vi.waitFor(() => expect(attempts).toHaveBeenCalledWith('BEGIN IMMEDIATE'), { interval: 5 })
    const second = apply(patient, [note('in time')])
    await refused
    await second
    expect(await names(store)).toEqual(['first', 'in time'])
  })

  it('a write goes to the file that replaced the locked one', async () => {
    const other = join(folder, 'other.keepsake')
    const otherStore = fileStore({ path: other })
    await otherStore.init()
    await otherStore.close()
    const lock = holdLock()
    const attempts = vi.spyOn(Connection.prototype, 'execUnlessBusy')
    const write = apply(store, [note('to the other')])
    await vi.waitFor(() => expect(attempts).toHaveBeenCalledWith('BEGIN IMMEDIATE'))
    for (const end of ['', '-wal', '-shm']) renameSync(path + end, `${path}.away${end}`)
    renameSync(other, path)
    await write
    expect(await names(store)).toEqual(['to the other'])
    lock.release()
  })

  it('writes that arrive meanwhile join the transaction of the waiting one', async () => {
    const lock = holdLock()
    const transactions = countTransactions()
    const writes: Promise<Applied>[] = []
    for (let n = 0; n < 10; n++) {
      writes.push(apply(store, [note(`note ${n}`)]))
      await store.get('a read in between')
    }
    lock.release()
    await Promise.all(writes)
    expect(transactions()).toBe(1)
  })
})

it('a folder that is gone for a moment leaves no transaction open', async () => {
  const other = open()
  await apply(other, [note('second')])
  renameSync(folder, `${folder}-away`)
  writeFileSync(folder, '')
  await expect(apply(store, [note('refused')])).rejects.toMatchObject({ code: 'IO' })
  rmSync(folder)
  renameSync(`${folder}-away`, folder)
  await apply(store, [note('third')])
  await apply(other, [note('fourth')])
  expect(await names(store)).toEqual(['first', 'second', 'third', 'fourth'])
})

it('two stores on one file see each other at once, and their changes have one order', async () => {
  const other = open()
  const made = await Promise.all(
    Array.from({ length: 30 }, (_, n) => apply(n % 2 === 0 ? store : other, [note(`note ${n}`)])),
  )
  const numbers = made.map(({ change }) => change?.number ?? 0).sort((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: 30 }, (_, n) => n + 2))
  expect((await names(store)).sort()).toEqual((await names(other)).sort())
})
