import { describe, expect, it } from 'vitest'
import { addNote, namesOf, RamServer } from '../../../test/chroma/ram-server.ts'
import { noAnswer, type Request, unreachable } from '../../../test/chroma/ram-shelf.ts'
import type { Batch } from '../../model/operation.ts'

/** An append to the log of changes. */
function isChange({ name, ids }: Request): boolean {
  return name === 'add' && ids.some((id) => id.includes('/c/'))
}

describe('a writer', () => {
  it('makes no memory for what changes nothing, or is refused', async () => {
    const server = new RamServer()
    const store = server.store()
    await store.apply({ operations: [], origin: { by: 'hand' } })
    await expect(addNote(store, '')).rejects.toMatchObject({ code: 'INVALID' })
    expect(await store.derived.write('index', new Uint8Array([1]))).toBe(false)
    expect(server.shelf.records.size).toBe(0)
    await addNote(store, 'first')
    expect([...server.shelf.records.keys()].filter((id) => !id.includes('/'))).toEqual(['root'])
  })

  it('makes one record of all that waits, and numbers each', async () => {
    const server = new RamServer()
    const store = server.store()
    await store.init()
    const applied = await Promise.all(Array.from({ length: 100 }, (_, n) => addNote(store, `note ${n}`)))
    expect(applied.map(({ change }) => change?.number)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
    expect(server.idsOf('c').length).toBeLessThanOrEqual(2)
    expect(await namesOf(server.store())).toHaveLength(100)
  })

  it('puts no more into one record once it is long, and brings texts of any length', async () => {
    const server = new RamServer()
    const store = server.store()
    await store.init()
    const text = 'word '.repeat(120_000)
    await Promise.all(Array.from({ length: 6 }, (_, n) => addNote(store, `note ${n}`, `${n} ${text}`)))
    expect(server.idsOf('c').length).toBeGreaterThanOrEqual(3)
    const reader = server.store()
    expect((await reader.resolve('main', 'note 5'))?.content === `5 ${text}`).toBe(true)
  })

  it('acknowledges what was done although no answer came, once', async () => {
    const server = new RamServer()
    let lost = 0
    const store = server.store({
      after: (request) => {
        if (!isChange(request)) return
        lost++
        throw noAnswer(request)
      },
    })
    expect((await addNote(store, 'once')).change?.number).toBe(1)
    expect(lost).toBeGreaterThan(0)
    expect(await namesOf(server.store())).toEqual(['once'])
    expect(server.idsOf('c')).toEqual(['c/1'])
  })

  it('says that nothing was written where the server was not reached, and goes on when it is', async () => {
    const server = new RamServer()
    let isDown = false
    const store = server.store({
      before: (request) => {
        if (isDown) throw unreachable(request)
      },
    })
    await addNote(store, 'before')
    isDown = true
    await expect(addNote(store, 'during')).rejects.toMatchObject({ code: 'IO', data: {} })
    await expect(store.heads()).rejects.toMatchObject({ code: 'IO' })
    isDown = false
    await addNote(store, 'after')
    expect(await namesOf(store)).toEqual(['before', 'after'])
  })

  it('ends what was asked for before it is closed, and refuses the rest', async () => {
    const server = new RamServer()
    const store = server.store({ before: () => new Promise((resolve) => setTimeout(resolve, 2)) })
    const [asked, closing] = [addNote(store, 'asked for'), store.close()]
    await expect(addNote(store, 'too late')).rejects.toMatchObject({ code: 'CLOSED' })
    expect((await asked).change?.number).toBe(1)
    await closing
    expect(await namesOf(server.store())).toEqual(['asked for'])
  })

  it('leaves out who gave up while others were served', async () => {
    const server = new RamServer()
    const store = server.store({ before: () => new Promise((resolve) => setTimeout(resolve, 2)) })
    const control = new AbortController()
    const first = addNote(store, 'first')
    await Promise.resolve()
    const second = store.apply(
      { operations: [{ op: 'add', kind: 'note', scope: 'main', content: 'second' }], origin: { by: 'hand' } },
      { signal: control.signal },
    )
    control.abort(new Error('called off'))
    await expect(second).rejects.toThrow('called off')
    await first
    expect(await namesOf(store)).toEqual(['first'])
  })

  it('refuses nobody for what another wanted that was not done', async () => {
    const server = new RamServer()
    const [other, store] = [server.store(), server.store()]
    const doc = (await addNote(other, 'doc')).entries[0]
    if (!doc) throw new Error('no entry')
    const origin = { by: 'hand' } as const
    const rename = { operations: [{ op: 'rename', id: doc.id, name: 'plan' }], origin } as const
    const write = { operations: [{ op: 'write', id: doc.id, content: 'changed meanwhile' }], origin } as const
    for (const trouble of ['the server fails', 'another is faster'] as const) {
      let appends = 0
      const turn = server.store({
        async before(request) {
          // The first is on its way while the others come to wait for one turn.
          if (!isChange(request) || ++appends !== 2) return
          if (trouble === 'the server fails') throw unreachable(request)
          await other.apply(write)
        },
      })
      await turn.heads()
      const [, ...told] = await Promise.allSettled([
        addNote(turn, trouble),
        turn.apply(rename, { expect: { [doc.id]: doc.revision } }),
        addNote(turn, 'plan'),
        addNote(turn, 'plan'),
      ])
      const codes = told.map((one) => (one.status === 'rejected' ? one.reason.code : 'done'))
      expect(codes).toEqual(trouble === 'the server fails' ? ['IO', 'IO', 'IO'] : ['CONFLICT', 'done', 'NAME_TAKEN'])
      if (trouble === 'another is faster') expect(await namesOf(store)).toContain('plan')
    }
  })

  it('numbers entries of one turn as if each batch had come alone', async () => {
    const origin = { by: 'hand' } as const
    const add = (seq: number | undefined, name: string): Batch => ({
      operations: [
        { op: 'add', kind: 'note', scope: 'main', content: name, name, ...(seq === undefined ? {} : { seq }) },
      ],
      origin,
    })
    const refused: Batch = { operations: [...add(90, 'more').operations, ...add(91, 'more').operations], origin }
    const server = new RamServer()
    const store = server.store()
    await store.init()
    const batches = [add(undefined, 'first'), add(50, 'fifty'), refused, add(20, 'late'), add(undefined, 'last')]
    const told = await Promise.allSettled(batches.map((batch) => store.apply(batch)))
    expect(told.map((one) => (one.status === 'rejected' ? one.reason.code : one.value.entries[0]?.seq))).toEqual([
      ...[1, 50, 'NAME_TAKEN', 'INVALID', 51],
    ])
    expect(server.idsOf('c').length).toBeLessThanOrEqual(2)
  })

  it('hands out nothing that reaches into the feed or the entries', async () => {
    const server = new RamServer()
    const store = server.store()
    const { change, entries } = await addNote(store, 'one')
    for (const given of [change, ...entries]) Object.assign(given ?? {}, { at: 'never', name: 'another' })
    const { changes } = await store.changes()
    expect(() => Object.assign(changes[0] ?? {}, { at: 'never' })).toThrow()
    expect((await store.changes()).changes[0]?.at).toMatch(/^2026/)
    expect(await namesOf(store)).toEqual(['one'])
  })
})
