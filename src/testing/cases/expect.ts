/** Compare-and-swap: who has not seen the present state does not overwrite it. */
import { isKeepsakeError } from '../../errors.ts'
import { equal, ok, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { apply, applyOne, changesSince, givenId, note, scanned } from '../requests.ts'

export const expectRules: readonly Rule[] = [
  {
    name: 'writes when the entry is at the expected revision',
    needs: 'expect',
    async run({ store }) {
      const { id, revision } = await applyOne(store, note('a'))
      const written = await applyOne(store, { op: 'write', id, content: 'b' }, { [id]: revision })
      ok(written.revision !== revision, 'the revision did not move')
      await applyOne(store, { op: 'write', id, content: 'c' }, { [id]: written.revision })
    },
  },
  {
    name: 'refuses when the entry is at another revision, and changes nothing',
    needs: 'expect',
    async run({ store }) {
      const { id, revision } = await applyOne(store, note('a'))
      const now = await applyOne(store, { op: 'write', id, content: 'b' })
      const attempts = [
        { op: 'write', id, content: 'lost' },
        { op: 'rename', id, name: 'lost' },
        { op: 'alias', id, alias: 'lost' },
        { op: 'remove', id },
      ] as const
      for (const attempt of attempts) {
        const error = await rejects(apply(store, [attempt], { [id]: revision }), 'CONFLICT', attempt.op)
        equal(error.data, { id, expected: revision, actual: now.revision }, 'the facts in the error')
      }
      equal(await scanned(store), [now], 'the entries')
      equal((await changesSince(store)).changes.length, 2, 'number of changes')
    },
  },
  {
    name: 'takes null for "must not exist"',
    needs: 'expect',
    async run({ store }) {
      const id = givenId(1)
      const first = await applyOne(store, note('a', { id }), { [id]: null })
      const error = await rejects(apply(store, [note('b')], { [id]: null }), 'CONFLICT', 'it exists')
      equal(error.data, { id, expected: null, actual: first.revision }, 'the facts in the error')
      await applyOne(store, { op: 'remove', id })
      await applyOne(store, note('b'), { [id]: null })
    },
  },
  {
    name: 'refuses when the entry is gone, or was never there',
    needs: 'expect',
    async run({ store }) {
      const { id, revision } = await applyOne(store, note('a'))
      await applyOne(store, { op: 'remove', id })
      const error = await rejects(apply(store, [note('b')], { [id]: revision }), 'CONFLICT', 'gone')
      equal(error.data, { id, expected: revision, actual: null }, 'the facts in the error')
      await rejects(apply(store, [note('b')], { [givenId(9)]: revision }), 'CONFLICT', 'never there')
    },
  },
  {
    name: 'checks entries that the batch itself does not touch, and all of them',
    needs: 'expect',
    async run({ store }) {
      const a = await applyOne(store, note('a'))
      const b = await applyOne(store, note('b'))
      const seen = { [a.id]: a.revision, [b.id]: b.revision }
      await applyOne(store, note('c'), seen)
      await applyOne(store, { op: 'write', id: b.id, content: 'new' })
      await rejects(apply(store, [note('d')], seen), 'CONFLICT', 'the second of two moved on')
    },
  },
  {
    name: 'checks before the batch, not between its operations',
    needs: 'expect',
    async run({ store }) {
      const { id, revision } = await applyOne(store, note('a'))
      await apply(
        store,
        [
          { op: 'write', id, content: 'b' },
          { op: 'write', id, content: 'c' },
        ],
        { [id]: revision },
      )
      equal((await store.get(id))?.content, 'c', 'content')
    },
  },
  {
    name: 'knows a revision again when the entry holds again what it held',
    needs: 'expect',
    async run({ store, pass }) {
      const { id, revision } = await applyOne(store, note('a', { content: 'one' }))
      pass(1000)
      await applyOne(store, { op: 'write', id, content: 'two' })
      const back = await applyOne(store, { op: 'write', id, content: 'one' })
      equal(back.revision, revision, 'revision')
      await applyOne(store, { op: 'write', id, content: 'three' }, { [id]: revision })
    },
  },
  {
    name: 'lets one of many writers win that have read the same revision',
    needs: 'expect',
    async run({ store }) {
      const { id, revision } = await applyOne(store, note('a'))
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) =>
          apply(store, [{ op: 'write', id, content: `by ${n}` }], { [id]: revision }),
        ),
      )
      equal(results.filter(({ status }) => status === 'fulfilled').length, 1, 'winners')
      for (const result of results) {
        if (result.status === 'fulfilled') continue
        ok(isKeepsakeError(result.reason) && result.reason.code === 'CONFLICT', `a loser got ${String(result.reason)}`)
      }
    },
  },
]
