/** The past: what each change did, the memory as it was, changes taken back, and entries that leave no trace. */

import { isKeepsakeError } from '../../errors.ts'
import type { Entry } from '../../model/entry.ts'
import type { Applied, Store } from '../../ports/store.ts'
import { equal, ok, present, rejects } from '../assert.ts'
import type { Rule, Trial } from '../harness.ts'
import { randomOperations } from '../random-operations.ts'
import {
  apply,
  applyOne,
  changesSince,
  everyScope,
  experience,
  MAIN,
  note,
  scanned,
  undo,
  withoutPath,
} from '../requests.ts'
import { stateDifference } from '../state-equality.ts'

export function historyRules(seeds: readonly number[], batches: number): readonly Rule[] {
  return [...PLAIN_RULES, ...seeds.flatMap((seed) => randomRules(seed, batches))]
}

const PLAIN_RULES: readonly Rule[] = [
  {
    name: 'reports what each change did to each entry',
    needs: 'undo',
    async run({ store, pass }) {
      equal(await store.changes(), [], 'the changes of nothing')
      const a = await applyOne(store, note('a'))
      pass(1000)
      const written = await applyOne(store, { op: 'write', id: a.id, content: 'other' })
      pass(1000)
      await apply(store, [
        { op: 'rename', id: a.id, name: 'b' },
        { op: 'remove', id: a.id },
      ])
      const changes = await store.changes()
      const reported = changes.map(({ change, touched }) => ({
        number: change.number,
        touched: touched.map(({ id, before, after }) => [
          id,
          before && withoutPath(before),
          after && withoutPath(after),
        ]),
      }))
      equal(
        reported,
        [
          { number: 3, touched: [[a.id, withoutPath(written), undefined]] },
          { number: 2, touched: [[a.id, withoutPath(a), withoutPath(written)]] },
          { number: 1, touched: [[a.id, undefined, withoutPath(a)]] },
        ],
        'changes',
      )
      equal(
        changes.map(({ change }) => change).toReversed(),
        (await changesSince(store)).changes,
        'the changes of the feed',
      )
    },
  },
  {
    name: 'returns the same history after a restart',
    needs: ['durable', 'history'],
    async run(trial) {
      const { entries } = await apply(trial.store, [note('a'), experience('line')])
      await apply(trial.store, [{ op: 'remove', id: entries[0]?.id ?? '' }])
      const answers = async ({ store }: Trial): Promise<unknown> => [
        await store.changes(),
        await store.stateAt(1),
        await store.versions(entries.map(({ id }) => id)),
        await store.gone(),
      ]
      const first = await answers(trial)
      await trial.reopen()
      equal(await answers(trial), first, 'after a restart')
    },
  },
  {
    name: 'undoes and redoes a write, a rename, aliases and a removal',
    needs: 'undo',
    async run(trial) {
      const { store } = trial
      const a = await applyOne(store, note('a', { aliases: ['x'], metadata: { n: 1 } }))
      await applyOne(store, { op: 'write', id: a.id, content: 'other', metadata: {}, description: 'd' })
      await applyOne(store, { op: 'rename', id: a.id, name: 'b' })
      await applyOne(store, { op: 'alias', id: a.id, alias: 'x', mode: 'drop' })
      await apply(store, [{ op: 'remove', id: a.id }, note('b')])
      for (let n = 0; n < 4; n++) await undo(trial, {})
      const back = present(await store.get(a.id), 'the entry')
      equal([back.revision, back.name, back.seq], [a.revision, 'a', a.seq], 'as it was')
      equal((await scanned(store)).length, 1, 'entries')
      for (let n = 9; n > 5; n--) await undo(trial, { changes: [n] })
      equal(await store.get(a.id), undefined, 'removed again')
      equal((await store.resolve('main', 'b'))?.name, 'b', 'the one that took its name')
    },
  },
  {
    name: 'refuses to undo what a later change builds on, unless that goes too',
    needs: 'undo',
    async run(trial) {
      const { store } = trial
      const a = await applyOne(store, note('a'))
      const two = await applyOne(store, { op: 'write', id: a.id, content: 'two' })
      await applyOne(store, note('other'))
      await applyOne(store, { op: 'write', id: a.id, content: 'four' })
      const error = await rejects(undo(trial, { changes: [2] }), 'CONFLICT', 'undoing what was built on')
      equal(error.data['later'], [4], 'the later ones')
      await undo(trial, { changes: [4] })
      equal((await store.get(a.id))?.revision, two.revision, 'after the later one')
      await undo(trial, { changes: [2] })
      equal((await store.get(a.id))?.revision, a.revision, 'after the first')
      await undo(trial, { changes: [6] })
      await rejects(undo(trial, { changes: [4] }), 'CONFLICT', 'undoing what is undone')
      await undo(trial, { changes: [1], withLater: true })
      equal(
        (await scanned(store)).map(({ name }) => name),
        ['other'],
        'what is left',
      )
    },
  },
  {
    name: 'knows that nothing was there before the first write',
    needs: 'asOf',
    async run({ store, pass, now }) {
      const before = now()
      pass(60_000)
      await apply(store, [note('a')])
      equal(await store.stateAt(before), [], 'entries before the beginning')
    },
  },
  {
    name: 'purges an entry from the present, the past and the feed, and nothing else',
    needs: 'undo',
    async run(trial) {
      const { store } = trial
      const secret = 'a-secret-that-must-go'
      const a = await applyOne(store, note('a', { content: secret, metadata: { secret } }))
      const b = await applyOne(store, note('b'))
      await apply(store, [
        { op: 'write', id: a.id, content: `${secret} two` },
        { op: 'write', id: b.id, content: 'two' },
      ])
      await store.purge([a.id], { origin: MAIN })
      const rest = JSON.stringify([
        await scanned(store),
        await store.changes(),
        await store.stateAt(1),
        await store.versions([a.id, b.id]),
        await store.gone(),
        (await changesSince(store)).changes,
      ])
      ok(!rest.includes(secret), 'nothing tells of it')
      const purges = (await store.changes()).map(({ change: { number, purged } }) => [number, purged])
      equal(purges.at(-1), [1, undefined], 'a change that is empty now')
      equal(purges.at(0), [4, ['main']], 'the purge')
      const error = await rejects(undo(trial, {}), 'CONFLICT', 'undoing the purge')
      equal(error.data, { changes: [4], before: 3 }, 'the purge and the change before it')
      await undo(trial, { changes: [3] })
      equal((await store.get(b.id))?.revision, b.revision, 'the other can be undone')
      await apply(store, [note('a')])
    },
  },
  {
    name: 'records a change for the purge of an entry that is already gone',
    needs: 'undo',
    async run({ store }) {
      const a = await applyOne(store, note('a'))
      await apply(store, [{ op: 'remove', id: a.id }])
      await store.purge([a.id], { origin: MAIN })
      const { change, touched } = present((await store.changes()).at(0), 'the last change')
      equal([change.number, change.origin, change.operations, touched], [3, MAIN, [], []], 'the purge')
      equal(change.purged, ['main'], 'the scopes of what it removed')
    },
  },
  {
    name: 'has nothing to absorb after its own writes',
    async run({ store }) {
      await apply(store, [note('a'), experience('line')])
      equal(await store.absorb(), { changes: [], heldBack: [], warnings: [] }, 'absorbed')
    },
  },
]

function randomRules(seed: number, batches: number): Rule[] {
  return [
    {
      name: `returns the entries at any time and after any change (seed ${seed})`,
      needs: 'asOf',
      async run(trial) {
        const states = await play(trial, seed, batches)
        for (const { at, number, entries } of states) {
          for (const moment of [at, number]) {
            const found = stateDifference(await trial.store.stateAt(moment), entries)
            if (found !== undefined) throw new Error(`seed ${seed}, as of ${moment}: ${found}`)
          }
        }
      },
    },
    {
      name: `takes ${batches} random batches back, one by one and in one go (seed ${seed})`,
      needs: 'undo',
      async run(trial) {
        const states = await play(trial, seed, batches)
        for (let n = 0; n < Math.floor(states.length / 3); n++) {
          const number = present((await inForce(trial.store)).at(-1), 'a change to undo')
          await undo(trial, { changes: [number] })
          const index = states.findIndex((state) => state.number === number)
          await sameTexts(trial.store, states[index - 1]?.entries ?? [], `seed ${seed}, before ${number}`)
        }
        await undo(trial, { changes: await inForce(trial.store) })
        equal(await scanned(trial.store), [], `seed ${seed}: all undone`)
      },
    },
  ]
}

interface Moment {
  readonly number: number
  readonly at: string
  readonly entries: readonly Entry[]
}

/** Random batches; what was there after each that changed something. */
async function play(trial: Trial, seed: number, batches: number): Promise<Moment[]> {
  const states: Moment[] = []
  const source = randomOperations(seed, batches)
  let turn = source.next()
  for (; !turn.done; ) {
    trial.pass(1500)
    const { batch, expect } = turn.value
    let applied: Applied | undefined
    try {
      applied = await trial.store.apply(batch, expect === undefined ? {} : { expect })
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
    }
    const number = applied?.change?.number
    if (number !== undefined) states.push({ number, at: trial.now(), entries: await scanned(trial.store) })
    turn = source.next(applied?.entries)
  }
  return states
}

async function sameTexts(store: Store, expected: readonly Entry[], what: string): Promise<void> {
  const found = stateDifference(await scanned(store), expected, { withoutState: true })
  if (found !== undefined) throw new Error(`${what}: ${found}`)
}

/** The numbers of all changes that can be undone, oldest first. */
async function inForce(store: Store): Promise<readonly number[]> {
  const open = await store.changes({ undone: false, scopes: await everyScope(store) })
  return open.flatMap(({ change }) => (change.reverts ? [] : change.number)).toReversed()
}
