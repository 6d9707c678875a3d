/** The history queries: changes, stateAt, versions, gone. Every store must return the same. */
import type { Entry, Scope } from '../../model/entry.ts'
import type { ChangeQuery, LoggedChange, Store } from '../../ports/store.ts'
import { memoryStore } from '../../stores/memory.ts'
import { equal, present, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { asMovable, imageFrom } from '../images.ts'
import { apply, applyOne, context, experience, MAIN, note, scanned, topic, undo, withoutPath } from '../requests.ts'

export const pastRules: readonly Rule[] = [
  {
    name: 'finds changes by number, time, origin and entry, newest first, up to the limit',
    needs: 'undo',
    async run({ store, pass, now }) {
      const a = await applyOne(store, note('a'))
      pass(1000)
      const second = now()
      await store.apply({
        operations: [{ op: 'write', id: a.id, content: 'two' }],
        origin: { by: 'agent', agent: 'ada', session: 's' },
      })
      pass(1000)
      const third = now()
      await store.apply({ operations: [note('b')], origin: { by: 'import' } })
      await apply(store, [{ op: 'remove', id: a.id }, experience('line')])
      const cases: readonly (readonly [ChangeQuery, readonly number[]])[] = [
        [{}, [4, 3, 2, 1]],
        [{ limit: 2 }, [4, 3]],
        [{ limit: 9 }, [4, 3, 2, 1]],
        [{ numbers: [1, 3, 9] }, [3, 1]],
        [{ numbers: [] }, []],
        [{ before: 3 }, [2, 1]],
        [{ after: 3 }, [4]],
        [{ after: 1, before: 4, limit: 1 }, [3]],
        [{ since: second, until: third }, [2]],
        [{ since: third }, [4, 3]],
        [{ by: 'agent' }, [4, 2, 1]],
        [{ agent: 'ada' }, [2]],
        [{ session: 's' }, [2]],
        [{ by: 'import', agent: 'main' }, []],
        [{ entries: [a.id] }, [4, 2, 1]],
        [{ entries: [a.id], limit: 2 }, [4, 2]],
        [{ entries: [] }, []],
        [{ name: 'a' }, [4, 2, 1]],
        [{ name: 'a', limit: 1 }, [4]],
        [{ name: 'c' }, []],
        [{ limit: 0 }, []],
        [{ undone: false }, [4, 3, 2, 1]],
        [{ undone: true }, []],
      ]
      for (const [query, expected] of cases) equal(await numbersOf(store, query), expected, JSON.stringify(query))
      const [last] = await store.changes({ limit: 1 })
      equal(last?.touched.map(({ id }) => id)[0], a.id, 'what was touched first')
      equal(last?.touched.length, 2, 'all that the change touched, whatever the query')
    },
  },
  {
    name: 'reports which undo reverted a change, unless that undo is itself undone',
    needs: 'undo',
    async run(trial) {
      const { store } = trial
      const a = await applyOne(store, note('a'))
      await applyOne(store, note('b'))
      await apply(store, [{ op: 'write', id: a.id, content: 'two' }])
      const undone = async (): Promise<unknown> =>
        (await store.changes({ undone: true })).map(({ change, undoneBy }) => [change.number, undoneBy])
      await undo(trial, { changes: [1], withLater: true })
      equal(
        await undone(),
        [
          [3, 4],
          [1, 4],
        ],
        'after an undo',
      )
      await undo(trial, { changes: [4] })
      equal(await undone(), [[4, 5]], 'after an undo of the undo')
      await undo(trial, { changes: [5] })
      equal(
        await undone(),
        [
          [5, 6],
          [3, 4],
          [1, 4],
        ],
        'after an undo of that one',
      )
      equal(await numbersOf(store, { undone: false }), [6, 4, 2], 'the others')
      equal(await numbersOf(store, { undone: true, entries: [a.id], limit: 2 }), [5, 3], 'of one entry')
      equal((await one(store, 3)).undoneBy, 4, 'when only that change is queried')
    },
  },
  {
    name: 'finds the changes of a scope: those that touched it, purges from it, and those of its agent that a purge emptied',
    needs: 'undo',
    async run(trial) {
      const { store } = trial
      const by = (agent: Scope) => ({ by: 'agent', agent }) as const
      await store.apply({ operations: [note('a')], origin: by('ada') })
      await store.apply({ operations: [topic('t')], origin: by('ada') })
      const { entries } = await store.apply({ operations: [note('b', { scope: 'ada' })], origin: MAIN })
      await store.apply({ operations: [note('c'), note('c', { scope: 'ada' })], origin: MAIN })
      const b = present(entries[0], 'the entry').id
      await undo(trial, { changes: [3] })
      equal(await numbersOf(store, { scopes: ['main'] }), [4, 1], 'of main')
      equal(await numbersOf(store, { scopes: ['ada'] }), [5, 4, 3], 'of ada')
      equal(await numbersOf(store, { scopes: ['world'] }), [2], 'of the world')
      equal(await numbersOf(store, { scopes: ['world', 'main'], limit: 2 }), [4, 2], 'of both')
      equal(await numbersOf(store, { scopes: [] }), [], 'of none')
      equal((await one(store, 4)).touched.length, 2, 'entries of other scopes are reported too')
      await store.purge([b], { origin: by('eve') })
      // Change 3 touches nothing any more, but its agent still finds it. Nobody finds the undo.
      equal(await numbersOf(store, { scopes: ['ada'] }), [6, 4], 'of ada, after the purge')
      equal(await numbersOf(store, { scopes: ['main'] }), [4, 3, 1], 'of main, after the purge')
      equal(await numbersOf(store, { scopes: ['eve'] }), [], 'of the one that purged')
      equal((await one(store, 3)).touched, [], 'what is left of it')
    },
  },
  {
    name: 'returns the entries after each change, in the order of seq, with the filters of a scan',
    needs: 'asOf',
    async run({ store }) {
      equal(await store.stateAt(0), [], 'before the first change')
      const a = await applyOne(store, note('a'))
      const { entries } = await apply(store, [topic('t'), context('k', 'v')])
      const written = await applyOne(store, { op: 'write', id: a.id, content: 'two' })
      await apply(store, [{ op: 'remove', id: a.id }])
      const states: readonly (readonly Entry[])[] = [[], [a], [a, ...entries], [written, ...entries], entries]
      for (const [number, expected] of [...states, entries].entries()) {
        equal((await store.stateAt(number)).map(withoutPath), expected.map(withoutPath), `after change ${number}`)
      }
      const ids = new Set([a.id])
      equal(
        (await store.stateAt(2, { scopes: ['world'] })).map(({ name }) => name),
        ['t'],
        'of a scope',
      )
      equal(
        (await store.stateAt(2, { kinds: ['context'] })).map(({ key }) => key),
        ['k'],
        'of a kind',
      )
      equal(
        (await store.stateAt(3, { ids })).map(({ content }) => content),
        ['two'],
        'of an id',
      )
    },
  },
  {
    name: 'returns the entries at an instant, by the order of changes if the clock was set back',
    needs: 'asOf',
    async run({ store, pass, now }) {
      const before = now()
      pass(1000)
      const a = await applyOne(store, note('a'))
      const [first, between] = [now(), pass(1000)]
      pass(1000)
      await apply(store, [{ op: 'write', id: a.id, content: 'two' }])
      const second = now()
      pass(-1500)
      // Its time is earlier than that of the change before it, but it comes after that change.
      await apply(store, [note('b')])
      const back = now()
      const texts = async (at: string): Promise<readonly string[]> =>
        (await store.stateAt(at)).map(({ content }) => content)
      equal(await texts(before), [], 'before the first')
      equal(await texts(first), ['about a'], 'at the very instant')
      equal(await texts(between), ['about a'], 'between two')
      equal(await texts(back), ['about a'], 'at the time that the clock was set back to')
      equal(await texts(second), ['two', 'about b'], 'at the second one')
      equal(
        (await store.stateAt(2)).map(({ content }) => content),
        ['two'],
        'after the second change',
      )
    },
  },
  {
    name: 'counts an external edit from when its file was saved',
    needs: 'asOf',
    async run({ store, pass, now }) {
      const a = await applyOne(store, note('a'))
      const saved = pass(60_000)
      pass(60_000)
      const origin = { by: 'hand' } as const
      const { entries } = await store.apply({ operations: [note('b', { createdAt: saved })], origin })
      const updatedAt = present(entries[0], 'the entry').updatedAt
      pass(60_000)
      await store.apply({ operations: [{ op: 'remove', id: a.id }], origin })
      const names = async (at: string): Promise<unknown> => (await store.stateAt(at)).map(({ name }) => name)
      equal(await names(updatedAt), ['a', 'b'], 'from its own time on')
      equal(await names(now()), ['b'], 'a removal counts from when it was recorded')
    },
  },
  {
    name: 'returns all states of an entry, also if it was removed and restored',
    needs: 'undo',
    async run(trial) {
      const { store } = trial
      const a = await applyOne(store, note('a'))
      const b = await applyOne(store, note('b'))
      const two = await applyOne(store, { op: 'write', id: a.id, content: 'two' })
      await apply(store, [
        { op: 'remove', id: a.id },
        { op: 'write', id: b.id, content: 'b two' },
      ])
      await undo(trial, { changes: [4] })
      const versions = await store.versions([b.id, 'unknown', a.id])
      equal(
        versions.map(({ id, change, entry }) => [id === a.id ? 'a' : 'b', change?.number, entry?.content]),
        [
          ['b', 2, 'about b'],
          ['b', 4, 'b two'],
          ['b', 5, 'about b'],
          ['a', 1, 'about a'],
          ['a', 3, 'two'],
          ['a', 4, undefined],
          ['a', 5, 'two'],
        ],
        'versions, by entry in the given order',
      )
      equal(versions[4]?.entry && withoutPath(versions[4].entry), withoutPath(two), 'a version, in full')
      equal(versions[4]?.change, (await one(store, 3)).change, 'its change')
      equal(await store.versions([]), [], 'of nothing')
      await store.purge([a.id])
      equal(
        (await store.versions([a.id, b.id])).map(({ id }) => id),
        [b.id, b.id, b.id],
        'after a purge',
      )
    },
  },
  {
    name: 'finds removed entries by id, name, alias, kind and scope, the most recently removed first',
    needs: 'undo',
    async run(trial) {
      const { store } = trial
      equal(await store.gone(), [], 'in an empty store')
      const a = await applyOne(store, note('a', { aliases: ['nick'] }))
      await applyOne(store, { op: 'rename', id: a.id, name: 'renamed' })
      await applyOne(store, { op: 'alias', id: a.id, alias: 'nick', mode: 'drop' })
      const last = await applyOne(store, { op: 'write', id: a.id, content: 'last' })
      const { entries } = await apply(store, [topic('t'), note('stays'), note('nick'), note('d', { scope: 'ada' })])
      const [t, stays, nick, d] = entries.map(({ id }) => id)
      await apply(store, [{ op: 'remove', id: a.id }])
      await apply(store, [
        { op: 'remove', id: t ?? '' },
        { op: 'remove', id: nick ?? '' },
      ])
      await apply(store, [{ op: 'remove', id: d ?? '' }])
      const gone = async (filter?: Parameters<Store['gone']>[0]): Promise<unknown> =>
        (await store.gone(filter)).map(({ name }) => name)
      equal(await gone(), ['d', 'nick', 't', 'renamed'], 'all of them')
      for (const called of [a.id, 'a', 'renamed']) equal(await gone({ called }), ['renamed'], `called ${called}`)
      equal(await gone({ called: 'nick' }), ['nick', 'renamed'], 'two that had the same name')
      equal(await gone({ called: 'stays' }), [], 'one that exists')
      equal(await gone({ called: 'Nick' }), [], 'a name in another case')
      equal(await gone({ scopes: ['main'] }), ['nick', 'renamed'], 'of a scope')
      equal(await gone({ kinds: ['topic'] }), ['t'], 'of a kind')
      equal(await gone({ scopes: ['world', 'ada'], kinds: ['note'] }), ['d'], 'of both')
      equal(await gone({ scopes: [] }), [], 'of no scope')
      equal((await store.gone({ called: a.id })).map(withoutPath), [withoutPath(last)], 'its last state')
      await undo(trial, { changes: [6] })
      equal(await gone({ scopes: ['main'] }), ['nick'], 'after one was restored')
      await store.purge([nick ?? '', stays ?? ''])
      equal(await gone({ scopes: ['main'] }), [], 'after a purge')
    },
  },
  {
    name: 'returns the state where the kept history begins without a change, and refuses earlier times',
    needs: 'history',
    async run({ store, now, pass }) {
      const source = memoryStore({ clock: () => Date.parse(now()), settings: { timezone: 'UTC' } })
      const early = now()
      const a = await applyOne(source, note('a'))
      pass(1000)
      const b = await applyOne(source, note('b'))
      const since = now()
      pass(1000)
      await apply(source, [
        { op: 'rename', id: a.id, name: 'c' },
        { op: 'remove', id: b.id },
      ])
      await asMovable(store).adopt(
        imageFrom({
          settings: await source.settings(),
          number: 3,
          nextSeq: 3,
          since,
          base: await source.stateAt(2),
          changes: await source.changes({ after: 2 }),
          entries: await scanned(source),
          sessions: [],
          files: [],
        }),
      )
      equal(await numbersOf(store, {}), [3], 'changes')
      equal(
        (await store.versions([a.id, b.id])).map(({ id, change, entry }) => [id, change?.number, entry?.name]),
        [
          [a.id, undefined, 'a'],
          [a.id, 3, 'c'],
          [b.id, undefined, 'b'],
          [b.id, 3, undefined],
        ],
        'versions',
      )
      for (const at of [2, since])
        equal(
          (await store.stateAt(at)).map(({ name }) => name),
          ['a', 'b'],
          `at ${at}`,
        )
      for (const [at, earliest] of [
        [1, 2],
        [0, 2],
        [early, since],
      ] as const) {
        equal((await rejects(store.stateAt(at), 'NOT_FOUND', `at ${at}`)).data['earliest'], earliest, 'the earliest')
      }
      equal((await store.gone({ called: 'b' })).map(withoutPath), [b], 'gone')
    },
  },
]

async function one(store: Store, number: number): Promise<LoggedChange> {
  return present((await store.changes({ numbers: [number] }))[0], `change ${number}`)
}

async function numbersOf(store: Store, query: ChangeQuery): Promise<readonly number[]> {
  return (await store.changes(query)).map(({ change }) => change.number)
}
