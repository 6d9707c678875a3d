import { describe, expect, it } from 'vitest'
import { ramConnection } from '../../../test/chroma/ram-connection.ts'
import { addNote, addNotes, entriesOf, namesOf, RamServer } from '../../../test/chroma/ram-server.ts'
import { unreachable } from '../../../test/chroma/ram-shelf.ts'
import { RamVectors } from '../../../test/chroma/ram-vectors.ts'
import type { Recorded } from '../../ports/store.ts'
import { stateDifference } from '../../testing/index.ts'
import { type ChromaStore, storeOn } from './store.ts'

const DAY_MS = 86_400_000

/** Behind the answer: closing waits for it. */
async function folded(server: RamServer, from: number, to: number): Promise<void> {
  const store = server.store()
  await addNotes(store, from, to)
  await store.close()
}

async function requestsToLoad(server: RamServer): Promise<number> {
  let ids = 0
  const store = server.store({}, (request) => {
    ids += request.ids.filter((id) => id.includes('/c/')).length
  })
  await store.heads()
  return ids
}

async function recordedOf(store: ChromaStore): Promise<Recorded[]> {
  return [...(await store.history()).changes]
}

describe('a snapshot', () => {
  it('is made when the log behind the last one is long, once, and spares who loads the log before it', async () => {
    const server = new RamServer()
    await folded(server, 1, 199)
    expect(server.idsOf('z')).toEqual([])
    expect(await requestsToLoad(server)).toBeGreaterThan(199)
    await folded(server, 200, 210)
    expect(server.idsOf('z')).toEqual([expect.stringMatching(/^z\/20[1-9]$/)])
    expect(await requestsToLoad(server)).toBeLessThan(80)
    await folded(server, 211, 500)
    expect(server.idsOf('z')).toHaveLength(1)
    const [a, b] = [server.store(), server.store()]
    expect(await namesOf(a)).toHaveLength(500)
    const [id] = (await a.heads()).map((head) => head.id)
    await a.apply({ operations: [{ op: 'remove', id: id ?? '' }], origin: { by: 'hand' } })
    expect(stateDifference(await entriesOf(a), await entriesOf(b))).toBeUndefined()
    expect((await addNote(b, 'after it')).entries[0]?.seq).toBe(501)
  })

  it('leaves no parts of those before it', async () => {
    const server = new RamServer()
    await folded(server, 1, 420)
    const [record] = [...server.shelf.records.values()].filter(({ labels }) => labels['kind'] === 'z')
    const { parts } = JSON.parse(record?.text ?? '{}')
    expect(server.idsOf('p')).toHaveLength(parts.count)
    for (const id of server.idsOf('p')) expect(id).toContain(parts.tag)
  })

  it('that is taken away while it is read is replaced by the newer one', async () => {
    const server = new RamServer()
    await folded(server, 1, 201)
    let hasMoved = false
    const reader = server.store({
      before: async ({ name, ids }) => {
        if (hasMoved || name !== 'get' || !ids.some((id) => id.includes('/p/'))) return
        hasMoved = true
        await folded(server, 202, 402)
        expect(server.idsOf('z')).toEqual(['z/402'])
      },
    })
    expect(await namesOf(reader)).toHaveLength(402)
    expect(hasMoved).toBe(true)
  })

  it('that lost its parts is passed over: the log tells the same', async () => {
    const server = new RamServer()
    await folded(server, 1, 205)
    for (const id of [...server.shelf.records.keys()]) if (id.includes('/p/')) server.shelf.records.delete(id)
    expect(await namesOf(server.store())).toHaveLength(205)
  })

  it('goes when a purge came while it was made, with all that it says', async () => {
    const server = new RamServer()
    const secret = 'the code of the gate is 4711'
    const writer = server.store()
    const purged = (await addNote(writer, 'secret', secret)).entries[0]?.id ?? ''
    await addNotes(writer, 1, 190)
    const other = server.store()
    let hasPurged = false
    const folder = server.store({
      before: async ({ name, ids }) => {
        if (hasPurged || name !== 'add' || !ids.some((id) => id.includes('/z/'))) return
        hasPurged = true
        // The log says that it is gone; whoever purges goes through the snapshots that are there, and this one is not yet.
        const { generation } = JSON.parse(server.shelf.records.get('root')?.text ?? '{}')
        const { changesLog, encodeLog } = await import('./changes-log.ts')
        const log = changesLog(server.shelf, generation)
        const after = (await log.read(0))?.at(-1)
        const text = encodeLog({ after: after?.tag ?? '', changes: [], epoch: 'after the purge', gone: [purged] })
        expect(await log.append((after?.position ?? 0) + 1, text)).toBe('won')
      },
    })
    await addNotes(folder, 191, 215)
    await folder.close()
    expect(hasPurged).toBe(true)
    expect(await namesOf(other)).not.toContain('secret')
    for (const { id, text } of server.shelf.records.values()) {
      if (text.includes(secret)) expect(id).toMatch(/\/c\/1$/)
    }
  })
})

describe('the kept past', () => {
  it('is cut off where it is older than the memory wants to keep, and told since when it is', async () => {
    const server = new RamServer()
    const sleeper = server.store()
    await addNotes(sleeper, 1, 150)
    const old = await sleeper.changes('now')
    server.pass(50)
    await folded(server, 151, 190)
    const since = new Date(server.nowMs).toISOString()
    server.pass(60)
    await folded(server, 191, 260)
    // 150 are 110 days old, 40 are 60: the memory keeps 90.
    expect(server.idsOf('b')).toEqual(['b/150'])
    const reader = server.store()
    expect(await namesOf(reader)).toHaveLength(260)
    const history = await reader.history()
    expect(history.entries).toHaveLength(150)
    expect(history.since?.slice(0, 10)).toBe('2026-03-14')
    const changes = [...history.changes]
    expect(changes.map(({ change }) => change.number)).toEqual(Array.from({ length: 110 }, (_, n) => 151 + n))
    expect(changes[0]?.change.at).toBe(since)
    // Whoever slept meanwhile goes on, also to write.
    expect(await namesOf(sleeper)).toHaveLength(260)
    const feed = await sleeper.changes(old.cursor)
    expect([feed.restarted, feed.changes.length, feed.changes[0]?.number]).toEqual([false, 110, 151])
    const all = await reader.changes({ ...old.cursor, number: 3 })
    expect([all.restarted, all.changes[0]?.number]).toEqual([true, 151])
    expect((await addNote(sleeper, 'awake')).change?.number).toBe(261)
    expect(await namesOf(reader)).toHaveLength(261)
  })

  it('has nothing in the log of what was cut off, also where that was cut short', async () => {
    const server = new RamServer()
    await folded(server, 1, 150)
    server.pass(100)
    let erasing = 0
    const stopped = server.store({
      before: (request) => {
        const { name, ids } = request
        if (name === 'put' && ids.some((id) => id.includes('/c/'))) {
          erasing++
          throw unreachable(request)
        }
      },
    })
    await addNotes(stopped, 151, 210)
    await stopped.close()
    expect(erasing).toBe(1)
    const left = (): number =>
      [...server.shelf.records.values()].filter(({ id, text }) => /\/c\/\d+$/.test(id) && text !== '').length
    expect(left()).toBe(210)
    await folded(server, 211, 430)
    expect(left()).toBe(430 - 149)
    expect(await recordedOf(server.store())).toHaveLength(280)
  })

  it('is not cut off because one machine has a clock that is ahead', async () => {
    const server = new RamServer()
    await folded(server, 1, 190)
    const clock = (): number => server.nowMs + 400 * DAY_MS
    const ahead = storeOn(
      ramConnection(server.shelf.another(), new RamVectors(), () => server.nowMs),
      { clock },
    )
    await addNotes(ahead, 191, 203)
    await ahead.close()
    expect(server.idsOf('z')).toHaveLength(1)
    expect(server.idsOf('b')).toEqual([])
    expect(await recordedOf(server.store())).toHaveLength(203)
  })

  it('that is cut off while somebody reads on leaves nobody in the midst of it', async () => {
    const server = new RamServer()
    const writer = server.store()
    await addNotes(writer, 1, 2)
    let isCut = true
    const reader = server.store({
      async after({ name, ids }) {
        if (isCut || name !== 'get' || ids.length < 33) return
        isCut = true
        await folded(server, 151, 260)
      },
    })
    expect(await namesOf(reader)).toHaveLength(2)
    await addNotes(writer, 3, 150)
    server.pass(120)
    isCut = false
    expect(await namesOf(reader)).toHaveLength(260)
    expect([isCut, server.idsOf('b')]).toEqual([true, ['b/150']])
  })

  it('is erased only where the base that stands for it can be read', async () => {
    const server = new RamServer()
    await folded(server, 1, 150)
    server.pass(100)
    const stopped = server.store({
      before: (request) => {
        if (request.name === 'put' && request.ids.some((id) => id.includes('/c/'))) throw unreachable(request)
      },
    })
    await addNotes(stopped, 151, 210)
    await stopped.close()
    const base = [...server.shelf.records.values()].find(({ labels }) => labels['kind'] === 'b')
    const { parts } = JSON.parse(base?.text ?? '{}')
    for (const id of [...server.shelf.records.keys()]) if (id.includes(parts.tag)) server.shelf.records.delete(id)
    await folded(server, 211, 430)
    expect([...server.shelf.records.values()].filter(({ labels }) => labels['form'] === 'erased')).toEqual([])
  })

  it('stays whole where nothing in it is old enough', async () => {
    const server = new RamServer()
    await folded(server, 1, 150)
    server.pass(80)
    await folded(server, 151, 420)
    expect(server.idsOf('b')).toEqual([])
    const { since, entries, changes } = await server.store().history()
    expect([since, entries.length, [...changes].length]).toEqual([undefined, 0, 420])
  })
})

describe('the feed', () => {
  it('is read back from the server where RAM does not hold it', async () => {
    const server = new RamServer()
    const cursors = new Map<number, Awaited<ReturnType<ChromaStore['changes']>>['cursor']>()
    const writer = server.store()
    for (let n = 1; n <= 450; n++) {
      await addNote(writer, `note ${n}`)
      if (n % 50 === 1) cursors.set(n, (await writer.changes('now')).cursor)
    }
    await writer.close()
    for (const [number, cursor] of cursors) {
      const reader = server.store()
      const feed = await reader.changes(cursor)
      expect(feed.restarted).toBe(false)
      expect(feed.changes.map((change) => change.number)).toEqual(
        Array.from({ length: 450 - number }, (_, index) => number + 1 + index),
      )
      const other = await reader.changes({ ...cursor, tag: 'of another record' })
      expect([other.restarted, other.changes.length]).toEqual([number < 440, 450])
    }
  })
})
