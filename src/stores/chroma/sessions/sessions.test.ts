/** Transcripts on the server: what the contract suite can't see from outside. */
import { describe, expect, it } from 'vitest'
import { RamMemory } from '../../../../test/chroma/ram-memory.ts'
import { noAnswer, type Request, type Troubles, unreachable } from '../../../../test/chroma/ram-shelf.ts'
import { seeded } from '../../../../test/chroma/seeded.ts'
import { isKeepsakeError } from '../../../errors.ts'
import type { SessionRecord } from '../../../ports/store.ts'
import { SessionLog } from './session-log.ts'
import { type ChromaSessions, chromaSessions } from './sessions.ts'

const NOW = Date.parse('2026-11-17T00:00:00.000Z')

function sessionsOn(memory: RamMemory, troubles: Troubles = {}): ChromaSessions {
  return chromaSessions(
    memory.machine(troubles),
    () => NOW,
    () => undefined,
  )
}

async function recordsOf(sessions: ChromaSessions, key: string): Promise<readonly SessionRecord[]> {
  return (await sessions.read('main', key))?.records ?? []
}

/** Counts requests, by their names and by what they ask for. */
function counting(): { readonly troubles: Troubles; readonly requests: Request[] } {
  const requests: Request[] = []
  return { requests, troubles: { before: (request) => void requests.push(request) } }
}

describe('appending from several machines', () => {
  it('lets all in, each once and whole, in the same order for everybody', async () => {
    const memory = new RamMemory()
    const machines = [1, 2, 3].map(() => sessionsOn(memory))
    const appends = machines.flatMap((sessions, machine) =>
      Array.from({ length: 12 }, (_, n) =>
        sessions.append('main', 's', [
          { machine, n },
          { machine, n },
        ]),
      ),
    )
    const ends = await Promise.all(appends)
    expect(new Set(ends.map(({ end }) => end)).size).toBe(36)
    const [first, ...others] = await Promise.all(machines.map((sessions) => recordsOf(sessions, 's')))
    for (const records of others) expect(records).toEqual(first)
    expect(new Set(first?.map((record) => JSON.stringify(record))).size).toBe(36)
    for (let at = 0; at < 72; at += 2) expect(first?.[at]).toEqual(first?.[at + 1])
    for (const machine of [0, 1, 2]) {
      const own = first?.filter((record) => record['machine'] === machine).map(({ n }) => n)
      expect(own).toEqual([...(own ?? [])].sort((a, b) => Number(a) - Number(b)))
    }
  })

  it('makes the session once, with one line of metadata', async () => {
    const memory = new RamMemory()
    await Promise.all([1, 2, 3, 4].map((n) => sessionsOn(memory).append('main', 's', [{ n }])))
    const page = await sessionsOn(memory).read('main', 's')
    expect(page?.records).toHaveLength(4)
    expect(page?.broken).toEqual([])
    expect(page?.meta).toEqual({ key: 's', createdAt: '2026-11-17T00:00:00.000Z' })
  })

  it('lets one in of those that expect the same end, and tells the others', async () => {
    const memory = new RamMemory()
    const machines = [1, 2, 3, 4].map(() => sessionsOn(memory))
    for (let end = 0, round = 0; round < 5; round++) {
      const tries = machines.map((sessions, n) => sessions.append('main', 's', [{ round, n }], { expectEnd: end }))
      const outcomes = await Promise.allSettled(tries)
      const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      expect(won).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'CONFLICT' })
      }
      end = won[0]?.value.end ?? 0
    }
    expect(await recordsOf(sessionsOn(memory), 's')).toHaveLength(5)
  })

  it('has what it acknowledged exactly once, whatever goes wrong on the way', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const memory = new RamMemory()
      const random = seeded(seed)
      const troubles = (): Troubles => ({
        before: (request) => {
          if (random() < 0.05) throw unreachable(request)
        },
        after: (request) => {
          if (random() < 0.05) throw noAnswer(request)
        },
      })
      const told: string[] = []
      const refused: string[] = []
      const work = [0, 1, 2].map(async (machine) => {
        const sessions = sessionsOn(memory, troubles())
        for (let n = 0; n < 8; n++) {
          const text = 'x'.repeat(random() < 0.2 ? 40_000 : 10)
          const name = `${machine} ${n}`
          await sessions.append('main', 's', [{ name, text }]).then(
            () => told.push(name),
            (error: unknown) => {
              if (!isKeepsakeError(error)) throw error
              if (error.data['unknown'] !== true) refused.push(name)
            },
          )
        }
      })
      await Promise.all(work)
      const names = (await recordsOf(sessionsOn(memory), 's')).map(({ name }) => String(name))
      expect(new Set(names).size, `seed ${seed}: nothing twice`).toBe(names.length)
      expect(names, `seed ${seed}`).toEqual(expect.arrayContaining(told))
      for (const name of refused) expect(names, `seed ${seed}`).not.toContain(name)
    }
  })
})

describe('an append', () => {
  it('makes nothing where it expects an end and there is no memory', async () => {
    const memory = new RamMemory()
    const refused = sessionsOn(memory).append('main', 's', [{ n: 1 }], { expectEnd: 7 })
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await memory.machine().find()).toBeUndefined()
  })

  it('keeps what is longer than a record, and leaves nothing to read where it was cut short', async () => {
    const memory = new RamMemory()
    const text = 'ü€😀'.repeat(20_000)
    const stopped = sessionsOn(memory, {
      before: (request) => {
        if (request.name === 'add' && request.ids.some((id) => id.startsWith('g/s/'))) throw unreachable(request)
      },
    })
    await expect(stopped.append('main', 's', [{ text }])).rejects.toMatchObject({ code: 'IO' })
    const sessions = sessionsOn(memory)
    expect(await sessions.read('main', 's')).toBeUndefined()
    await sessions.append('main', 's', [{ text }])
    expect(await recordsOf(sessions, 's')).toEqual([{ text }])
    expect(await sessions.list('main')).toEqual([{ key: 's', createdAt: '2026-11-17T00:00:00.000Z' }])
  })

  it('stops when it is called off, also while it waits for the one before', async () => {
    const memory = new RamMemory()
    const sessions = sessionsOn(memory)
    const control = new AbortController()
    const first = sessions.append('main', 's', [{ n: 1 }])
    const second = sessions.append('main', 's', [{ n: 2 }], { signal: control.signal })
    const reason = new Error('called off')
    control.abort(reason)
    await expect(second).rejects.toBe(reason)
    await first
    await sessions.idle()
    expect(await recordsOf(sessions, 's')).toEqual([{ n: 1 }])
  })
})

describe('a server that was put back to an earlier state', () => {
  it('is read and appended to as it is now', async () => {
    const memory = new RamMemory()
    const sessions = sessionsOn(memory)
    for (let n = 0; n < 3; n++) await sessions.append('main', 's', [{ n }])
    const earlier = new Map(memory.shelf.records)
    for (let n = 3; n < 300; n++) await sessions.append('main', 's', [{ n }])
    memory.shelf.records.clear()
    for (const [id, record] of earlier) memory.shelf.records.set(id, record)
    expect((await sessions.readBefore('main', 's'))?.records).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }])
    await sessions.append('main', 's', [{ later: true }])
    expect(await recordsOf(sessions, 's')).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { later: true }])
    expect((await sessions.readBefore('main', 's'))?.records.at(-1)).toEqual({ later: true })
  })
})

describe('what is asked of the server', () => {
  it('is one look at first records for a list, however long the sessions are', async () => {
    const memory = new RamMemory()
    const writer = sessionsOn(memory)
    for (let session = 0; session < 20; session++) {
      for (let n = 0; n < 10; n++) await writer.append('main', `chat ${session}`, [{ n }])
    }
    await writer.append('other', 'chat', [{ n: 0 }])
    const { troubles, requests } = counting()
    expect(await sessionsOn(memory, troubles).list('main')).toHaveLength(20)
    expect(requests.map(({ name }) => name)).toEqual(['find'])
  })

  it('is hardly more for the end of a long session than for that of a short one', async () => {
    const asked = async (appends: number): Promise<readonly Request[]> => {
      const memory = new RamMemory()
      memory.make()
      const pieces = Array.from({ length: appends }, (_, n) => Buffer.from(`${JSON.stringify({ n })}\n`))
      const metadata = Buffer.from('{"key":"s","createdAt":"2026-11-17T00:00:00.000Z"}\n')
      const log = new SessionLog(memory.shelf, 'g', { scope: 'main', key: 's' })
      await log.fill([metadata, ...pieces], {})
      const { troubles, requests } = counting()
      const tail = await sessionsOn(memory, troubles).readBefore('main', 's')
      expect(tail?.records.at(-1)).toEqual({ n: appends - 1 })
      return requests
    }
    const [short, long] = [await asked(1000), await asked(16_000)]
    expect(long.length - short.length).toBeLessThanOrEqual(3)
  })

  it('is three requests to write and two to look, where the end is known', async () => {
    const memory = new RamMemory()
    const { troubles, requests } = counting()
    const sessions = sessionsOn(memory, troubles)
    for (let n = 0; n < 40; n++) await sessions.append('main', 's', [{ n }])
    requests.length = 0
    await sessions.append('main', 's', [{ n: 40 }])
    expect(requests.map(({ name }) => name).sort()).toEqual(['add', 'get', 'get', 'get', 'get'])
  })
})

describe('a session that is damaged', () => {
  it('is told in the list, and keeps nobody from the others', async () => {
    const memory = new RamMemory()
    const sessions = sessionsOn(memory)
    await sessions.append('main', 'long', [{ text: 'x'.repeat(40_000) }])
    await sessions.append('main', 'fine', [{ n: 1 }])
    for (const { id } of [...memory.shelf.records.values()].filter(({ labels }) => labels['kind'] === 'p')) {
      memory.shelf.records.delete(id)
    }
    const [long, fine] = await sessions.list('main')
    expect(long).toMatchObject({ key: 'long', createdAt: null, problem: expect.stringContaining('parts of its text') })
    expect(fine).toEqual({ key: 'fine', createdAt: '2026-11-17T00:00:00.000Z' })
    await expect(sessions.read('main', 'long')).rejects.toMatchObject({ code: 'DAMAGED' })
    expect(await recordsOf(sessions, 'fine')).toEqual([{ n: 1 }])
  })

  it('is told where its record is not one of ours', async () => {
    const memory = new RamMemory()
    const sessions = sessionsOn(memory)
    await sessions.append('main', 's', [{ n: 1 }])
    const [record] = memory.shelf.records.values()
    if (record) memory.shelf.records.set(record.id, { ...record, text: 'something else' })
    await expect(sessions.read('main', 's')).rejects.toMatchObject({ code: 'DAMAGED' })
    expect(await sessions.list('main')).toMatchObject([{ key: 's', createdAt: null }])
  })
})
