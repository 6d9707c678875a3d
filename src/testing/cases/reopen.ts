/** A restart: what was acknowledged is there again, equal in every field. */
import { equal, present, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { apply, applyOne, context, experience, note, scanned, topic } from '../requests.ts'

export const reopenRules: readonly Rule[] = [
  {
    name: 'is equal in every field after a restart, and after one more',
    needs: 'durable',
    async run(trial) {
      await apply(trial.store, [
        note('a', { aliases: ['x', 'Y'], description: 'd: "q"', metadata: { tags: ['t'], n: 1.5 } }),
        note('brief', { expiresAt: '2030-01-01T00:00:00.000Z' }),
        topic('Über uns', { aliases: ['about'], metadata: { m: null } }),
        context('city', 'Berlin', { metadata: { m: true } }),
        experience('one'),
        experience('two', { createdAt: '2020-02-29T23:59:59.999Z' }),
        { op: 'add', scope: 'main', kind: 'memory', content: '---\nx: 1\n---\nnot front matter' },
        { op: 'add', scope: 'other', kind: 'identity', content: 'I am other' },
        { op: 'add', scope: 'other', kind: 'history', content: 'h' },
        { op: 'add', scope: 'other', kind: 'conversation', content: 'c' },
        { op: 'add', scope: 'other', kind: 'archive', name: 's-1', content: 'sum' },
        { op: 'add', scope: 'other', kind: 'fact', content: 'a fact without a name' },
      ])
      trial.pass(90_000)
      const a = present(await trial.store.resolve('main', 'x'), 'a')
      await apply(trial.store, [
        { op: 'rename', id: a.id, name: 'b' },
        { op: 'write', id: a.id, content: 'new' },
      ])
      const settings = await trial.store.settings()
      const before = await scanned(trial.store)
      for (let n = 1; n <= 2; n++) {
        trial.pass(1000)
        await trial.reopen()
        equal(await scanned(trial.store), before, `the entries after restart ${n}`)
        equal(await trial.store.settings(), settings, `the settings after restart ${n}`)
        equal(await trial.store.problems(), [], `problems after restart ${n}`)
      }
    },
  },
  {
    name: 'knows names, aliases, keys and revisions again after a restart',
    needs: 'durable',
    async run(trial) {
      const a = await applyOne(trial.store, note('C++', { aliases: ['cpp'] }))
      const b = await applyOne(trial.store, note('C#'))
      const k = await applyOne(trial.store, context('city', 'Berlin'))
      await trial.reopen()
      const { store } = trial
      equal(await store.resolve('main', 'cpp'), a, 'by alias')
      equal(await store.resolve('main', 'C#'), b, 'by name')
      equal(await store.resolveKey('main', 'city'), k, 'by key')
      await rejects(apply(store, [note('cpp')]), 'NAME_TAKEN', 'an alias from before')
      await rejects(apply(store, [context('city', 'Rome')]), 'NAME_TAKEN', 'a key from before')
      const expect = store.capabilities.expect === true ? { [a.id]: a.revision } : {}
      await applyOne(store, { op: 'write', id: a.id, content: 'x' }, expect)
    },
  },
  {
    name: 'does not bring back what was removed before a restart',
    needs: 'durable',
    async run(trial) {
      await apply(trial.store, [note('a'), topic('t'), experience('e'), context('k', 'v')])
      const before = await scanned(trial.store)
      await apply(
        trial.store,
        before.map(({ id }) => ({ op: 'remove', id })),
      )
      await trial.reopen()
      equal(await scanned(trial.store), [], 'entries')
      equal(await trial.store.resolve('main', 'a'), undefined, 'the name')
    },
  },
]
