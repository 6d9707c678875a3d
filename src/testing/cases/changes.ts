/** The feed of changes: complete, in order, and honest about having started over. */
import { WORLD } from '../../model/entry.ts'
import { memoryStore } from '../../stores/memory.ts'
import { equal, ok, present } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { apply, applyOne, changesSince, context, experience, givenId, MAIN, note, scanned, topic } from '../requests.ts'
import { stateDifference } from '../state-equality.ts'

export const changeRules: readonly Rule[] = [
  {
    name: 'numbers its changes from 1 without a gap, as apply told them',
    needs: 'history',
    async run({ store, pass }) {
      const told: unknown[] = []
      for (let n = 0; n < 5; n++) {
        pass(1000)
        told.push((await apply(store, [note(`a${n}`), note(`b${n}`)])).change)
        await apply(store, [])
        await apply(store, [note(`a${n}`)]).catch(() => undefined)
      }
      const { changes, cursor } = await changesSince(store)
      equal(
        changes.map(({ number }) => number),
        [1, 2, 3, 4, 5],
        'numbers',
      )
      equal(changes, told, 'changes')
      equal(cursor.number, 5, 'the number of the cursor')
    },
  },
  {
    name: 'tells when, by whom and what it takes back',
    needs: 'history',
    async run({ store, now }) {
      const origin = { by: 'undo', agent: 'main', session: 's' } as const
      await apply(store, [note('a')])
      const { change } = await store.apply({
        operations: [note('b')],
        origin: { ...origin, agent: 'Main' },
        reverts: [1],
      })
      const { changes } = await changesSince(store)
      equal(changes[0]?.reverts, undefined, 'reverts of a plain change')
      const last = present(changes[1], 'the second change')
      equal([last.at, last.origin, last.reverts], [now(), origin, [1]], 'at, origin and reverts')
      equal(last, change, 'the change that apply told')
    },
  },
  {
    name: 'continues from a cursor',
    needs: 'history',
    async run({ store }) {
      await apply(store, [note('a')])
      const first = await changesSince(store)
      await apply(store, [note('b')])
      await apply(store, [note('c')])
      const second = await changesSince(store, first.cursor)
      equal(
        second.changes.map(({ number }) => number),
        [2, 3],
        'numbers',
      )
      equal(second.cursor.epoch, first.cursor.epoch, 'epoch')
      const third = await store.feed(second.cursor)
      equal([third.changes, third.cursor, third.restarted], [[], second.cursor, false], 'at the end')
    },
  },
  {
    name: 'does not call a first reading or a continued one a restart',
    needs: 'history',
    async run({ store }) {
      const empty = await store.feed()
      equal([empty.changes, empty.restarted], [[], false], 'an empty feed')
      await apply(store, [note('a')])
      equal((await store.feed()).restarted, false, 'a first reading')
      // A store that is not there before its first write may begin its epoch with it, so this may be a restart.
      const [first] = (await store.feed(empty.cursor)).changes
      equal(first?.number, 1, 'the first change, continued from the empty feed')
      const { cursor } = await changesSince(store)
      await apply(store, [note('b')])
      const continued = await store.feed(cursor)
      equal([continued.restarted, continued.changes.length], [false, 1], 'continued')
    },
  },
  {
    name: 'tells where it is without its changes, for who begins now',
    needs: 'history',
    async run({ store }) {
      await apply(store, [note('a')])
      const now = await store.feed('now')
      equal([now.changes, now.restarted], [[], false], 'now')
      equal(now.cursor, (await store.feed()).cursor, 'the cursor')
      await apply(store, [note('b')])
      const feed = await store.feed(now.cursor)
      equal([feed.restarted, feed.changes.length], [false, 1], 'from there on')
    },
  },
  {
    name: 'starts over for a cursor of another epoch',
    needs: 'history',
    async run({ store }) {
      await apply(store, [note('a')])
      await apply(store, [note('b')])
      const { cursor } = await changesSince(store)
      const feed = await store.feed({ epoch: 'of another feed', number: cursor.number })
      equal(feed.restarted, true, 'restarted')
      equal(feed.changes[0]?.number, 1, 'the first change')
      equal(feed.cursor.epoch, cursor.epoch, 'the epoch to go on with')
    },
  },
  {
    name: 'starts over after a purge, which takes its traces out of the changes',
    needs: 'undo',
    async run({ store }) {
      const a = await applyOne(store, note('a'))
      await apply(store, [note('b')])
      const { cursor } = await changesSince(store)
      await store.purge([a.id])
      const feed = await store.feed(cursor)
      equal(feed.restarted, true, 'restarted')
      ok(!JSON.stringify(feed.changes).includes(a.id), 'nothing tells of it')
      await apply(store, [note('c')])
      const next = await store.feed(feed.cursor)
      equal([next.restarted, next.changes.length], [false, 1], 'from there on')
    },
  },
  {
    name: 'tells a reader who follows it, step by step, all that happens, its own edits and removals included',
    needs: 'history',
    async run({ store, pass }) {
      const followed = new Map<string, string>()
      let { cursor } = await store.feed()
      const follow = async (): Promise<void> => {
        const feed = await store.feed(cursor, { edits: ['main', WORLD] })
        equal(feed.edits, [], 'edits by hand')
        for (const id of feed.changes.flatMap(({ operations }) => operations.map((operation) => operation.id ?? ''))) {
          const entry = await store.get(id)
          if (entry) followed.set(id, entry.revision)
          else followed.delete(id)
        }
        cursor = feed.cursor
        const there = (await store.heads()).map(({ id, revision }) => [id, revision])
        equal([...followed].sort(), there.sort(), 'what the follower knows')
      }
      const a = await applyOne(store, note('a', { aliases: ['x'] }))
      await follow()
      const b = await applyOne(store, topic('b'))
      await apply(store, [{ op: 'write', id: a.id, content: 'two' }, experience('line')])
      pass(1000)
      await follow()
      await apply(store, [note('c'), { op: 'remove', id: b.id }])
      await apply(store, [{ op: 'rename', id: a.id, name: 'd' }])
      await follow()
      await follow()
    },
  },
  {
    name: 'tells operations completely: with ids, seqs, names, texts and times filled in',
    needs: 'history',
    async run({ store, now }) {
      const { entries } = await apply(store, [experience('no id given'), { ...note('x'), name: null, kind: 'fact' }])
      const { changes } = await changesSince(store)
      const operations = changes[0]?.operations ?? []
      for (const [n, entry] of entries.entries()) {
        const { revision: _, path: __, ...whole } = entry
        equal(operations[n], { op: 'add', ...whole }, `operation ${n}`)
      }
      equal(entries[1]?.createdAt, now(), 'createdAt')
    },
  },
  {
    name: 'tells enough to build the same memory from the feed alone',
    needs: 'history',
    async run({ store, pass }) {
      await apply(store, [note('a', { aliases: ['x', 'y'], metadata: { m: 1 } }), topic('t'), context('k', 'v')])
      pass(1000)
      const b = await applyOne(store, note('b', { id: givenId(1), seq: 40 }))
      await apply(store, [{ op: 'alias', id: b.id, alias: 'x', mode: 'take' }])
      pass(1000)
      await apply(store, [
        { op: 'rename', id: b.id, name: 'renamed' },
        { op: 'write', id: b.id, content: 'new', description: 'd', expiresAt: '2030-01-01T00:00:00.000Z' },
        experience('line', { expiresAt: null }),
      ])
      pass(1000)
      const t = present(await store.resolve(WORLD, 't'), 'the topic')
      const key = present(await store.resolveKey('main', 'k'), 'the context')
      await store.apply({
        operations: [{ op: 'remove', id: key.id }, context('k', 'w'), { op: 'write', id: t.id, content: 'u' }],
        origin: { by: 'hand' },
      })
      await apply(store, [{ op: 'alias', id: b.id, alias: 'x', mode: 'drop' }])
      let at = 0
      const copy = memoryStore({ clock: () => at })
      for (const change of (await changesSince(store)).changes) {
        at = Date.parse(change.at)
        await copy.apply(change)
      }
      const found = stateDifference(await scanned(copy), await scanned(store))
      ok(found === undefined, `built from the feed, ${found}`)
    },
  },
  {
    name: 'continues its feed over a restart, in the same epoch',
    needs: ['durable', 'history'],
    async run(trial) {
      await apply(trial.store, [note('a')])
      const before = await changesSince(trial.store)
      await trial.reopen()
      equal(await changesSince(trial.store), before, 'the whole feed')
      await trial.store.apply({ operations: [note('b')], origin: MAIN })
      const feed = await trial.store.feed(before.cursor)
      equal([feed.restarted, feed.changes.map(({ number }) => number)], [false, [2]], 'continued')
    },
  },
]
