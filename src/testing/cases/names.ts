/** Names and aliases are one set within a scope; keys of contexts are a set of their own. */
import { equal, ok, present, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { apply, applyOne, context, experience, note, scanned, topic } from '../requests.ts'

export const nameRules: readonly Rule[] = [
  {
    name: 'refuses a name or alias that another entry of the scope holds, and names its owner',
    async run({ store }) {
      const owner = await applyOne(store, note('Deploys', { aliases: ['shipping'] }))
      const other = await applyOne(store, note('Tea'))
      for (const held of ['Deploys', 'shipping']) {
        const attempts = [
          note(held),
          note('new', { aliases: [held] }),
          { op: 'rename', id: other.id, name: held },
          { op: 'alias', id: other.id, alias: held },
        ] as const
        for (const attempt of attempts) {
          const error = await rejects(apply(store, [attempt]), 'NAME_TAKEN', `${attempt.op} onto "${held}"`)
          equal(error.data, { name: held, owner: owner.id }, 'the facts in the error')
        }
      }
      equal((await scanned(store)).length, 2, 'number of entries')
    },
  },
  {
    name: 'lets every scope have the same names and aliases',
    async run({ store }) {
      await apply(store, [
        note('Deploys', { aliases: ['shipping'] }),
        note('shipping', { scope: 'other', aliases: ['Deploys'] }),
        topic('Deploys', { aliases: ['shipping'] }),
      ])
      equal((await scanned(store)).length, 3, 'number of entries')
      equal((await store.resolve('other', 'Deploys'))?.name, 'shipping', 'the alias of the other agent')
    },
  },
  {
    name: 'takes a name in composed form without outer blanks',
    async run({ store }) {
      const entry = await applyOne(store, note('  Cafe\u0301 ', { aliases: [' Cafe\u0301 2'] }))
      equal([entry.name, ...entry.aliases], ['Caf\u00e9', 'Caf\u00e9 2'], 'names')
      await rejects(apply(store, [note('Caf\u00e9')]), 'NAME_TAKEN', 'the composed form')
    },
  },
  {
    name: 'keeps names apart that would make one file name',
    async run({ store }) {
      const names = ['C++', 'C#', 'C!', 'c']
      for (const name of names)
        await apply(store, [topic(name), note(name), note(name, { kind: 'fact', scope: 'other' })])
      equal((await scanned(store)).length, names.length * 3, 'number of entries')
      for (const name of names) {
        equal((await store.resolve('world', name))?.content, `about ${name}`, `the topic "${name}"`)
        equal((await store.resolve('main', name))?.content, `about ${name}`, `the note "${name}"`)
      }
    },
  },
  {
    name: 'gives an entry without a name one from its first words that is still free',
    async run({ store }) {
      const names: unknown[] = []
      for (let i = 0; i < 3; i++) {
        const fact = { op: 'add', scope: 'main', kind: 'fact', content: '# Tea, green.\n\nMore.' } as const
        names.push((await applyOne(store, fact)).name)
      }
      equal(new Set(names).size, 3, 'different names')
      equal(names[0], 'Tea, green', 'the first name')
    },
  },
  {
    name: 'renames: the old name stays as an alias',
    async run({ store }) {
      const { id } = await applyOne(store, note('Deploys', { aliases: ['shipping'] }))
      const renamed = await applyOne(store, { op: 'rename', id, name: 'Releases' })
      equal([renamed.name, ...[...renamed.aliases].sort()], ['Releases', 'Deploys', 'shipping'], 'names')
      for (const name of ['Releases', 'Deploys', 'shipping']) {
        equal(await store.resolve('main', name), renamed, `resolve "${name}"`)
      }
      await rejects(apply(store, [note('Deploys')]), 'NAME_TAKEN', 'the old name is not free')
    },
  },
  {
    name: 'renames onto an own alias by promoting it',
    async run({ store }) {
      const { id } = await applyOne(store, note('Deploys', { aliases: ['shipping'] }))
      const there = await applyOne(store, { op: 'rename', id, name: 'shipping' })
      equal([there.name, there.aliases], ['shipping', ['Deploys']], 'there')
      const back = await applyOne(store, { op: 'rename', id, name: 'Deploys' })
      equal([back.name, back.aliases], ['Deploys', ['shipping']], 'and back')
      equal(await store.resolve('main', 'shipping'), back, 'resolve the alias')
    },
  },
  {
    name: 'binds, takes over and drops aliases',
    async run({ store }) {
      const a = await applyOne(store, note('a', { aliases: ['x'] }))
      const b = await applyOne(store, note('b'))
      await applyOne(store, { op: 'alias', id: b.id, alias: 'y' })
      await apply(store, [{ op: 'alias', id: b.id, alias: 'x', mode: 'take' }])
      equal((await store.get(a.id))?.aliases, [], 'the former owner')
      equal((await store.get(b.id))?.aliases, ['y', 'x'], 'the new owner')
      equal((await store.resolve('main', 'x'))?.id, b.id, 'resolve what was taken')
      await apply(store, [{ op: 'alias', id: b.id, alias: 'free', mode: 'take' }])
      equal((await store.resolve('main', 'free'))?.id, b.id, 'a free alias can be taken')
      await apply(store, [{ op: 'alias', id: b.id, alias: 'y', mode: 'drop' }])
      equal(await store.resolve('main', 'y'), undefined, 'resolve what was dropped')
      await applyOne(store, note('y'))
    },
  },
  {
    name: 'takes over an alias only, never a name, and drops only what is there',
    async run({ store }) {
      await applyOne(store, note('a', { aliases: ['x'] }))
      const b = await applyOne(store, note('b'))
      await rejects(apply(store, [{ op: 'alias', id: b.id, alias: 'a', mode: 'take' }]), 'NAME_TAKEN', 'taking a name')
      await rejects(apply(store, [{ op: 'alias', id: b.id, alias: 'x', mode: 'drop' }]), 'INVALID', "another's alias")
      await rejects(apply(store, [{ op: 'alias', id: b.id, alias: 'b', mode: 'drop' }]), 'INVALID', 'the own name')
      equal((await store.resolve('main', 'x'))?.name, 'a', 'the alias stays where it was')
    },
  },
  {
    name: 'frees name, aliases and key with the entry, also within one batch',
    async run({ store }) {
      const entry = await applyOne(store, note('Deploys', { aliases: ['shipping'] }))
      const value = await applyOne(store, context('city', 'Berlin'))
      const renamed = await applyOne(store, { op: 'rename', id: entry.id, name: 'Releases' })
      await apply(store, [{ op: 'remove', id: entry.id }])
      for (const name of [renamed.name, ...renamed.aliases]) {
        equal(await store.resolve('main', name ?? ''), undefined, `resolve "${name}"`)
      }
      await apply(store, [note('Releases'), note('Deploys', { aliases: ['shipping'] })])
      await apply(store, [{ op: 'remove', id: value.id }, context('city', 'Rome')])
      equal((await store.resolveKey('main', 'city'))?.content, 'Rome', 'the new context')
      equal(await store.get(value.id), undefined, 'the old context')
    },
  },
  {
    name: 'hands names from one entry to another within a batch',
    async run({ store }) {
      const a = await applyOne(store, note('a'))
      const b = await applyOne(store, note('b'))
      await apply(store, [
        { op: 'rename', id: a.id, name: 'tmp' },
        { op: 'alias', id: a.id, alias: 'a', mode: 'drop' },
        { op: 'rename', id: b.id, name: 'a' },
        { op: 'alias', id: b.id, alias: 'b', mode: 'drop' },
        { op: 'rename', id: a.id, name: 'b' },
        { op: 'alias', id: a.id, alias: 'tmp', mode: 'drop' },
      ])
      equal((await store.resolve('main', 'a'))?.id, b.id, 'a')
      equal((await store.resolve('main', 'b'))?.id, a.id, 'b')
      equal(await store.resolve('main', 'tmp'), undefined, 'tmp')
    },
  },
  {
    name: 'has one context per key and scope, and any number without a key',
    async run({ store }) {
      const keyless = { op: 'add', scope: 'main', kind: 'context', content: 'Lisbon' } as const
      const first = await applyOne(store, context('city', 'Berlin'))
      await rejects(apply(store, [context('city', 'Rome')]), 'NAME_TAKEN', 'the same key')
      await apply(store, [context('city', 'Rome', { scope: 'other' }), context('City', 'Oslo')])
      await applyOne(store, { op: 'write', id: first.id, content: 'Paris' })
      equal((await store.resolveKey('main', 'city'))?.content, 'Paris', 'the rewritten context')
      const [one, two] = [await applyOne(store, keyless), await applyOne(store, keyless)]
      equal([one.key, two.key], [undefined, undefined], 'the keys')
      equal((await scanned(store, { kinds: ['context'] })).length, 5, 'number of contexts')
    },
  },
  {
    name: 'has one memory and one identity an agent, and reserves their names',
    async run({ store }) {
      for (const kind of ['memory', 'identity'] as const) {
        await applyOne(store, { op: 'add', scope: 'main', kind, content: 'one' })
        const error = await rejects(
          apply(store, [{ op: 'add', scope: 'main', kind, content: 'two' }]),
          'NAME_TAKEN',
          `a second ${kind}`,
        )
        ok(error.message.includes(kind.toUpperCase()), 'the error names it')
        await applyOne(store, { op: 'add', scope: 'other', kind, content: 'of another' })
      }
      const { id } = await applyOne(store, note('free'))
      for (const name of ['MEMORY', 'IDENTITY']) {
        await rejects(apply(store, [note(name, { scope: 'third' })]), 'INVALID', `add "${name}"`)
        await rejects(apply(store, [{ op: 'rename', id, name }]), 'INVALID', `rename to "${name}"`)
        await rejects(apply(store, [{ op: 'alias', id, alias: name }]), 'INVALID', `alias "${name}"`)
      }
    },
  },
  {
    name: 'renames and aliases only what has a name of its own',
    async run({ store }) {
      await apply(store, [
        { op: 'add', scope: 'main', kind: 'memory', content: 'x' },
        experience('x'),
        context('k', 'x'),
      ])
      for (const { id, kind } of await scanned(store)) {
        await rejects(apply(store, [{ op: 'rename', id, name: 'new' }]), 'INVALID', `rename of a ${kind}`)
        await rejects(apply(store, [{ op: 'alias', id, alias: 'new' }]), 'INVALID', `alias of a ${kind}`)
      }
      const named = present(await store.resolve('main', 'MEMORY'), 'MEMORY')
      equal(named.aliases, [], 'aliases of the memory')
    },
  },
]
