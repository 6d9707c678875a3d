/**
 * Machines that stand still in the midst of tidying up, for longer than a lease lasts, and go on as if nothing had been: another has purged,
 * folded or cut off the past meanwhile. Nothing that is to be kept is lost by it, and what is purged does not come back.
 */
import { describe, expect, it } from 'vitest'
import { ramConnection } from '../../../test/chroma/ram-connection.ts'
import { addNote, addNotes, namesOf, RamServer } from '../../../test/chroma/ram-server.ts'
import type { Request, Troubles } from '../../../test/chroma/ram-shelf.ts'
import { RamVectors } from '../../../test/chroma/ram-vectors.ts'
import type { Entry } from '../../model/entry.ts'
import { examineServer } from './doctor/examine.ts'
import { mendServer } from './doctor/mend.ts'
import type { Connection } from './server/connection.ts'
import type { ChromaStore } from './store.ts'

const SECRETS = ['a secret that is long enough', 'another one, as long as that'] as const

/** Stands still before the first request that `isIt`, until it is woken. */
class Sleep {
  readonly troubles: Troubles
  readonly begun: Promise<void>
  wake: () => void = () => undefined

  constructor(isIt: (request: Request) => boolean) {
    let begin = (): void => undefined
    this.begun = new Promise((resolve) => {
      begin = resolve
    })
    const woken = new Promise<void>((resolve) => {
      this.wake = resolve
    })
    let isOver = false
    this.troubles = {
      before: async (request) => {
        if (isOver || !isIt(request)) return
        isOver = true
        begin()
        await woken
      },
    }
  }
}

const asks = (name: Request['name'], kind: string) => (request: Request) =>
  request.name === name && request.ids.some((id) => id.includes(`/${kind}/`))

/** Longer than a lease lasts. */
function passMinutes(server: RamServer): void {
  server.nowMs += 130_000
}

/** Two secrets and a long text that were written by one batch, so that they stand in one record. */
async function secretsOn(server: RamServer): Promise<readonly [string, string]> {
  const add = (name: string, content: string) => ({ op: 'add', kind: 'note', scope: 'main', name, content }) as const
  const operations = [add('a', SECRETS[0]), add('b', SECRETS[1]), add('kept', 'words to keep '.repeat(6000))]
  const { entries } = await server.store().apply({ origin: { by: 'hand' }, operations })
  const [a, b] = entries
  return [a?.id ?? '', b?.id ?? '']
}

function tracesOf(server: RamServer, text: string): string[] {
  return [...server.shelf.records.values()].filter((record) => record.text.includes(text)).map(({ id }) => id)
}

function connectionTo(server: RamServer, troubles: Troubles = {}): Connection {
  return ramConnection(server.shelf.another(troubles), new RamVectors(), () => server.nowMs)
}

/** A memory whose past is old enough to be cut off at change 150. */
async function agedServer(): Promise<{ readonly server: RamServer; readonly victim: string }> {
  const server = new RamServer()
  const store = server.store()
  await addNotes(store, 1, 150)
  const victim = (await addNote(store, 'victim', SECRETS[0])).entries[0]?.id ?? ''
  server.pass(50)
  await addNotes(store, 152, 190)
  server.pass(60)
  return { server, victim }
}

async function expectWhole(server: RamServer, entries: number): Promise<void> {
  const store = server.store()
  expect(await namesOf(store)).toHaveLength(entries)
  const history = await store.history()
  const there = new Map<string, Entry | undefined>(history.entries.map((entry) => [entry.id, entry]))
  for (const { touched } of history.changes) for (const { id, after } of touched) there.set(id, after)
  expect([...there.values()].filter(Boolean)).toHaveLength(entries)
  await store.image()
  const { findings } = await examineServer(connectionTo(server))
  expect(findings.filter(({ severity }) => severity === 'damage')).toEqual([])
}

async function settled(): Promise<void> {
  for (let n = 0; n < 200; n++) await new Promise((resolve) => setImmediate(resolve))
}

describe('who cuts off the past and stands still before the base is written', () => {
  it("takes nobody's base away, where another has cut at the same place and a purge came", async () => {
    const { server, victim } = await agedServer()
    const sleep = new Sleep(asks('add', 'b'))
    const sleeper = server.store(sleep.troubles)
    await addNotes(sleeper, 191, 230)
    await sleep.begun
    passMinutes(server)
    const other = server.store()
    await addNotes(other, 231, 480)
    await settled()
    await other.purge([victim])
    sleep.wake()
    await sleeper.close()
    await expectWhole(server, 479)
  })

  it("erases nothing where its parts were taken for nobody's meanwhile", async () => {
    const { server } = await agedServer()
    const sleep = new Sleep(asks('add', 'b'))
    const cutter = server.store(sleep.troubles)
    await addNotes(cutter, 191, 230)
    await sleep.begun
    const isOfBase = (of: unknown): boolean => String(of).includes('/b/')
    for (const [id, { labels }] of server.shelf.records) if (isOfBase(labels['of'])) server.shelf.records.delete(id)
    sleep.wake()
    await cutter.close()
    await expectWhole(server, 230)
  })
})

describe('who purges and stands still before a record is rewritten', () => {
  it('brings nothing back that another has purged meanwhile, and no record is without its parts', async () => {
    const server = new RamServer()
    const [a, b] = await secretsOn(server)
    const sleep = new Sleep(asks('put', 'c'))
    const sleeping = server
      .store(sleep.troubles)
      .purge([a])
      .catch((error: unknown) => error)
    await sleep.begun
    passMinutes(server)
    await server.store().purge([b])
    sleep.wake()
    expect(await sleeping).toMatchObject({ code: 'LOCKED', hint: expect.stringContaining('doctor --fix') })
    for (const text of SECRETS) expect(tracesOf(server, text)).toEqual([])
    await expectWhole(server, 1)
    await server.store().purge([b])
  })

  it('leaves the texts that another is still to look for, or looks for them itself', async () => {
    const server = new RamServer()
    const [a, b] = await secretsOn(server)
    await server.store().sessions.append('main', 'chat', [{ text: SECRETS[1] }])
    const sleep = new Sleep(asks('add', 'z'))
    const sleeping = server
      .store(sleep.troubles)
      .purge([a])
      .catch((error: unknown) => error)
    await sleep.begun
    passMinutes(server)
    const otherSleep = new Sleep((request) => otherHasDeclared && request.name === 'find')
    let otherHasDeclared = false
    const other = server.store({
      before: async (request) => {
        await otherSleep.troubles.before?.(request)
        if (asks('add', 'c')(request)) otherHasDeclared = true
      },
    })
    const purging = other.purge([b])
    await otherSleep.begun
    sleep.wake()
    expect(await sleeping).toMatchObject({ code: 'LOCKED' })
    otherSleep.wake()
    expect((await purging).cleaned).toContain('1 session that said it')
    for (const text of SECRETS) expect(tracesOf(server, text)).toEqual([])
  })

  it('does not go on with transcripts', async () => {
    const server = new RamServer()
    const [a, b] = await secretsOn(server)
    for (const text of SECRETS) await server.store().sessions.append('main', text.slice(0, 3), [{ text }])
    for (const text of SECRETS) await server.store().sessions.append('main', 'both', [{ text }])
    const sleep = new Sleep(asks('get', 's'))
    const sleeping = server
      .store(sleep.troubles)
      .purge([a])
      .catch((error: unknown) => error)
    await sleep.begun
    passMinutes(server)
    await server.store().purge([b])
    sleep.wake()
    expect(await sleeping).toMatchObject({ code: 'LOCKED' })
    expect(tracesOf(server, SECRETS[1])).toEqual([])
  })

  it('keeps the lease where nobody knows what became of its last request: it may still be done', async () => {
    const server = new RamServer()
    const [a, b] = await secretsOn(server)
    let isOver = false
    const late = server.store({
      late: (request) => {
        if (isOver || !asks('put', 'c')(request)) return undefined
        isOver = true
        return new Promise(() => undefined)
      },
    })
    await expect(late.purge([a])).rejects.toMatchObject({ data: { unknown: true } })
    await late.close()
    expect(await server.store().lease('fold')).toBeUndefined()
    passMinutes(server)
    await server.store().purge([b])
    for (const text of SECRETS) expect(tracesOf(server, text)).toEqual([])
  })
})

describe('a purge that was cut short', () => {
  async function cutShort(server: RamServer): Promise<ChromaStore> {
    const [a] = await secretsOn(server)
    await server.store().sessions.append('main', 'chat', [{ text: SECRETS[0] }])
    const troubles: Troubles = {
      before: (request) => {
        if (asks('put', 's')(request)) throw new Error('killed')
      },
    }
    await expect(server.store(troubles).purge([a])).rejects.toThrow('killed')
    expect(tracesOf(server, SECRETS[0])).toHaveLength(2)
    passMinutes(server)
    return server.store()
  }

  it('is told by doctor, and finished by --fix', async () => {
    const server = new RamServer()
    const store = await cutShort(server)
    const { findings } = await examineServer(connectionTo(server))
    expect(findings.map(({ code }) => code)).toEqual(['unfinished-purge'])
    const { mended, examination } = await mendServer(connectionTo(server))
    expect(mended.map(({ code }) => code)).toEqual(['unfinished-purge'])
    expect(examination.findings).toEqual([])
    expect(tracesOf(server, SECRETS[0])).toEqual([])
    expect(await namesOf(store)).toEqual(['b', 'kept'])
  })

  it('is finished by the purge of another entry', async () => {
    const server = new RamServer()
    const store = await cutShort(server)
    await store.purge([(await store.resolve('main', 'b'))?.id ?? ''])
    for (const text of SECRETS) expect(tracesOf(server, text)).toEqual([])
  })
})

describe('a base that is made while a purge is not finished', () => {
  it('is not made: what the purge is to look for is not cut off', async () => {
    const { server, victim } = await agedServer()
    const troubles: Troubles = {
      before: (request) => {
        if (asks('put', 'c')(request)) throw new Error('killed')
      },
    }
    await expect(server.store(troubles).purge([victim])).rejects.toThrow('killed')
    passMinutes(server)
    const store = server.store()
    await addNotes(store, 191, 480)
    await store.close()
    expect(server.idsOf('b')).toEqual([])
    await mendServer(connectionTo(server))
    expect(tracesOf(server, SECRETS[0])).toEqual([])
    await expectWhole(server, 479)
  })
})

describe('doctor --fix', () => {
  it('makes no snapshot of a log that lost its beginning, and leaves the one that is there', async () => {
    const { server } = await agedServer()
    const store = server.store()
    await addNotes(store, 191, 480)
    await store.close()
    expect(server.idsOf('b')).toHaveLength(1)
    for (const [id, { labels }] of server.shelf.records) if (labels['kind'] === 'b') server.shelf.records.delete(id)
    const { mended, examination } = await mendServer(connectionTo(server))
    expect(mended).toEqual([])
    expect(examination.findings.map(({ code }) => code)).toContain('log-gap')
    expect(await namesOf(server.store())).toHaveLength(480)
  })

  it('takes a past that is cut off while it looks for no damage', async () => {
    const { server } = await agedServer()
    await addNote(server.store(), 'long', 'words '.repeat(9000))
    server.pass(100)
    let looks = 0
    const troubles: Troubles = {
      before: async ({ name, ids }) => {
        if (name !== 'get' || !ids.some((id) => id.includes('/p/')) || looks++ > 0) return
        const store = server.store()
        await addNotes(store, 300, 720)
        await store.close()
        expect(server.idsOf('b')).toHaveLength(1)
      },
    }
    const { findings } = await examineServer(connectionTo(server, troubles))
    expect(looks).toBeGreaterThan(0)
    expect(findings).toEqual([])
  })

  it('writes nothing back that is purged while it looks', async () => {
    const server = new RamServer()
    const [a] = await secretsOn(server)
    let looks = 0
    const troubles: Troubles = {
      before: async ({ name }) => {
        if (name === 'find' && ++looks === 3) await server.store().purge([a])
      },
    }
    await mendServer(connectionTo(server, troubles))
    expect(looks).toBeGreaterThan(3)
    expect(tracesOf(server, SECRETS[0])).toEqual([])
    expect(await namesOf(server.store())).toEqual(['b', 'kept'])
  })
})
