/** A store refuses what it lacks, with UNSUPPORTED and a hint, and changes nothing. Each rule runs only on stores that lack that. */
import type { Capabilities, Movable, Store } from '../../ports/store.ts'
import { memoryStore } from '../../stores/memory.ts'
import { equal, ok, present, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { asMovable } from '../images.ts'
import { apply, applyOne, givenId, MAIN, note, scanned } from '../requests.ts'

const SINCE_BEGINNING = 0

export const lackRules: readonly Rule[] = [
  lack('expect', (store, id, revision) => [
    () => apply(store, [{ op: 'write', id, content: 'new' }], { [id]: revision }),
    () => apply(store, [note('b', { id: givenId(7) })], { [givenId(7)]: null }),
  ]),
  lack('lastingSeq', (store) => [() => apply(store, [note('b', { seq: 7 })])]),
  lack('history', (store, id) => [() => store.changes(), () => store.versions([id]), () => store.gone()]),
  lack('undo', (store, id) => [() => store.apply({ operations: [{ op: 'remove', id }], origin: MAIN, reverts: [1] })]),
  lack('asOf', (store) => [() => store.stateAt(SINCE_BEGINNING)]),
  lack('sessions', ({ sessions }) => [
    () => sessions.append('main', 's', [{ n: 1 }]),
    () => sessions.read('main', 's'),
    () => sessions.readBefore('main', 's'),
    () => sessions.list('main'),
  ]),
  lack('leases', (store) => [() => store.lease('work')]),
  {
    name: 'without derived: keeps no derived bytes, and returns false',
    lacks: 'derived',
    async run({ store }) {
      await apply(store, [note('a')])
      equal(await store.derived.write('index', new Uint8Array([1])), false, 'whether they were kept')
      equal(await store.derived.read('index'), undefined, 'what is read')
    },
  },
  {
    name: 'without atomicBatch: checks all of a batch before it writes any of it',
    lacks: 'atomicBatch',
    async run({ store }) {
      const { id } = await applyOne(store, note('a'))
      const before = await scanned(store)
      const batch = [note('b'), { op: 'write', id, content: 'new' }, { op: 'remove', id: givenId(404) }] as const
      await rejects(apply(store, batch), 'NOT_FOUND', 'a batch whose last operation is not allowed')
      equal(await scanned(store), before, 'the entries')
    },
  },
  {
    name: 'without purgePast: deletes the entry, and lists copies that are out of reach',
    lacks: 'purgePast',
    async run({ store }) {
      const { id } = await applyOne(store, note('a'))
      const { outOfReach } = await store.purge([id])
      equal(await scanned(store), [], 'the entries')
      ok(outOfReach.length > 0, 'nothing is said to be out of reach')
    },
  },
  {
    name: 'without moveHistory: adopts present entries, and only with withoutHistory',
    lacks: 'moveHistory',
    needs: 'movable',
    async run(trial) {
      const store = asMovable(trial.store)
      const source = await filledSource()
      const error = await rejects(store.adopt(await source.image()), 'UNSUPPORTED', 'with its history')
      ok(error.hint !== undefined, 'there is no hint')
      equal(await scanned(store), [], 'what is there then')
      await store.adopt(await source.image(), { withoutHistory: true })
      equal((await scanned(store)).map(withoutSeq), (await scanned(source)).map(withoutSeq), 'the entries')
      equal(await store.settings(), await source.settings(), 'the settings')
      await rejects(store.adopt(await source.image(), { withoutHistory: true }), 'CONFLICT', 'a second time')
      await rejects(apply(store, [note('b')]), 'NAME_TAKEN', 'a name that came along')
    },
  },
]

function lack(
  lacks: keyof Capabilities,
  calls: (store: Store, id: string, revision: string) => readonly (() => Promise<unknown>)[],
): Rule {
  return {
    name: `without ${lacks}: refuses it with a reason and a hint, and changes nothing`,
    lacks,
    async run({ store }) {
      const { id, revision } = await applyOne(store, note('a'))
      const before = await scanned(store)
      for (const call of calls(store, id, revision)) {
        const error = await rejects(call(), 'UNSUPPORTED', lacks)
        ok(error.message.trim() !== '' && error.hint !== undefined, 'there is no reason or no hint')
      }
      equal(await scanned(store), before, 'the entries')
    },
  }
}

async function filledSource(): Promise<Store & Movable> {
  const source = memoryStore({ settings: { timezone: 'UTC' } })
  await apply(source, [note('a', { aliases: ['ü'], metadata: { type: 'mine', n: [1, null] } })])
  const { id } = present(await source.resolve('main', 'a'), 'the note')
  await apply(source, [{ op: 'rename', id, name: 'b' }])
  await source.sessions.append('main', 's', [{ n: 1 }])
  return source
}

function withoutSeq({ seq: _, ...entry }: { readonly seq: number }): object {
  return entry
}
