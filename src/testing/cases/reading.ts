/** Reading: by id, by name, by key, in order, filtered; raw, and never a handle into the store's own state. */
import { parseZone } from '../../model/time.ts'
import type { ScanFilter } from '../../ports/store.ts'
import { equal, ok, present } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { apply, applyOne, changesSince, context, experience, givenId, note, scanned, topic } from '../requests.ts'

export const readingRules: readonly Rule[] = [
  {
    name: 'is empty at first',
    async run({ store }) {
      equal(await scanned(store), [], 'scan')
      equal((await changesSince(store)).changes, [], 'changes')
      equal(await store.problems(), [], 'problems')
      if (store.capabilities.sessions === true) equal(await store.sessions.list('main'), [], 'sessions')
    },
  },
  {
    name: 'declares each capability as true or as the reason for its lack, the same that its harness tells',
    async run({ store, harness }) {
      equal(store.capabilities, harness.capabilities, 'capabilities')
      for (const [capability, value] of Object.entries(store.capabilities)) {
        ok(value === true || (typeof value === 'string' && value.trim() !== ''), `${capability} gives no reason`)
      }
      const reopens = harness.reopen !== undefined
      ok(store.capabilities.durable !== true || reopens, 'durable is declared, but the harness has no reopen')
    },
  },
  {
    name: 'tells its settings, the same at each call',
    async run({ store }) {
      const settings = await store.settings()
      equal(parseZone(settings.timezone), settings.timezone, 'timezone')
      ok(settings.format >= 1 && settings.id !== '', 'format or id is missing')
      ok(settings.layout === 'agents' || settings.layout === 'flat', `layout is "${settings.layout}"`)
      equal(await store.settings(), settings, 'the second call')
    },
  },
  {
    name: 'gets an entry by its id, and nothing by any other',
    async run({ store }) {
      const entry = await applyOne(store, note('Deploys'))
      equal(await store.get(entry.id), entry, 'get')
      for (const other of [givenId(99), 'Deploys', '', '../x', '__proto__']) {
        equal(await store.get(other), undefined, `get "${other}"`)
      }
    },
  },
  {
    name: 'resolves a name or an alias exactly',
    async run({ store }) {
      const entry = await applyOne(store, note('Deploys', { aliases: ['shipping', 'Auslieferung'] }))
      for (const name of ['Deploys', 'shipping', 'Auslieferung']) {
        equal(await store.resolve('main', name), entry, `resolve "${name}"`)
      }
      for (const name of ['deploys', 'Deploy', ' Deploys', 'Deploys.md', entry.id, '', '__proto__', 'constructor']) {
        equal(await store.resolve('main', name), undefined, `resolve "${name}"`)
      }
    },
  },
  {
    name: 'resolves in one scope only',
    async run({ store }) {
      const [mine, theirs, shared] = [
        await applyOne(store, note('Deploys')),
        await applyOne(store, note('Deploys', { scope: 'other' })),
        await applyOne(store, topic('Deploys')),
      ]
      equal(await store.resolve('main', 'Deploys'), mine, 'main')
      equal(await store.resolve('other', 'Deploys'), theirs, 'other')
      equal(await store.resolve('world', 'Deploys'), shared, 'world')
      equal(await store.resolve('third', 'Deploys'), undefined, 'third')
    },
  },
  {
    name: 'resolves MEMORY and IDENTITY to the pages of that agent',
    async run({ store }) {
      const memory = await applyOne(store, { op: 'add', scope: 'main', kind: 'memory', content: 'likes tea' })
      const identity = await applyOne(store, { op: 'add', scope: 'main', kind: 'identity', content: 'I am main' })
      equal(await store.resolve('main', 'MEMORY'), memory, 'MEMORY')
      equal(await store.resolve('main', 'IDENTITY'), identity, 'IDENTITY')
      equal(await store.resolve('other', 'MEMORY'), undefined, 'MEMORY of another agent')
    },
  },
  {
    name: 'resolves a context by its key, apart from the names',
    async run({ store }) {
      const value = await applyOne(store, context('city', 'Berlin'))
      equal(await store.resolveKey('main', 'city'), value, 'resolveKey')
      equal(await store.resolve('main', 'city'), undefined, 'resolve must not find a key')
      const named = await applyOne(store, note('city'))
      equal(await store.resolve('main', 'city'), named, 'resolve finds the note')
      equal(await store.resolveKey('main', 'city'), value, 'resolveKey still finds the context')
      equal(await store.resolveKey('other', 'city'), undefined, 'resolveKey in another scope')
      equal(await store.resolveKey('main', 'City'), undefined, 'resolveKey is exact')
    },
  },
  {
    name: 'scans in the order of seq, also when a lower one was given later, or brought back',
    needs: 'lastingSeq',
    async run({ store }) {
      const f = await applyOne(store, note('f', { seq: 5 }))
      await apply(store, [note('a', { seq: 20 }), note('b', { seq: 10 })])
      await apply(store, [topic('c'), experience('d'), note('e', { scope: 'other' })])
      const { change } = await apply(store, [{ op: 'remove', id: f.id }])
      const back = note('f', { id: f.id, seq: f.seq })
      await store.apply({ operations: [back], origin: { by: 'undo' }, reverts: [present(change, 'change').number] })
      const entries = await scanned(store)
      const seqs = entries.map(({ seq }) => seq)
      equal(entries.length, 6, 'number of entries')
      equal(
        seqs,
        [...seqs].sort((a, b) => a - b),
        'order of seq',
      )
      equal(seqs.slice(0, 3), [5, 10, 20], 'given seqs')
    },
  },
  {
    name: 'scans with each filter alone and all together',
    async run({ store, pass, now }) {
      const first = now()
      await apply(store, [note('a'), topic('b'), note('c', { scope: 'other' })])
      const second = pass(60_000)
      await apply(store, [experience('d'), experience('e', { scope: 'other' }), note('f', { createdAt: first })])
      const third = pass(60_000)
      await apply(store, [experience('g')])
      const cases: readonly [ScanFilter, string][] = [
        [{}, 'abcdefg'],
        [{ scopes: ['main'] }, 'adfg'],
        [{ scopes: ['world', 'other'] }, 'bce'],
        [{ scopes: ['nobody'] }, ''],
        [{ scopes: [] }, ''],
        [{ kinds: ['experience'] }, 'deg'],
        [{ kinds: ['topic', 'note'] }, 'abcf'],
        [{ kinds: [] }, ''],
        [{ since: second }, 'deg'],
        [{ until: second }, 'abcf'],
        [{ since: second, until: third }, 'de'],
        [{ since: third, until: third }, ''],
        [{ scopes: ['main'], kinds: ['experience'], since: second, until: third }, 'd'],
      ]
      for (const [filter, expected] of cases) {
        const found = (await scanned(store, filter))
          .map(({ content }) => content.at(-1))
          .sort()
          .join('')
        equal(found, expected, `scan ${JSON.stringify(filter)}`)
      }
    },
  },
  {
    name: 'returns expired entries too: it is raw',
    async run({ store, now, pass }) {
      const { id } = await applyOne(store, note('brief', { expiresAt: now() }))
      pass(86_400_000)
      ok((await store.get(id)) !== undefined, 'get')
      ok((await store.resolve('main', 'brief')) !== undefined, 'resolve')
      equal((await scanned(store)).length, 1, 'scan')
    },
  },
  {
    name: 'hands out no handle into its state',
    async run({ store }) {
      const metadata = { tags: ['x'], deep: { n: 1 } }
      const { id } = await applyOne(store, note('kept', { aliases: ['also'], metadata }))
      const before = structuredClone(present(await store.get(id), 'get'))
      metadata.tags.push('from the caller')
      vandalise(present(await store.get(id), 'get'))
      vandalise(present(await store.resolve('main', 'also'), 'resolve'))
      vandalise(present((await scanned(store))[0], 'scan'))
      vandalise((await changesSince(store)).changes)
      equal(await store.get(id), before, 'the entry after someone wrote into what was handed out')
      const expected = store.capabilities.history === true ? 1 : 0
      equal((await changesSince(store)).changes.length, expected, 'the feed after that')
    },
  },
  {
    name: 'has no document that nobody put there',
    async run({ store }) {
      equal(await store.document('directives/no-such-document.md'), undefined, 'document')
    },
  },
]

/** Writes into a value wherever that is possible; a frozen one is as good as a copy. */
function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    vandalise(Reflect.get(value, key))
    Reflect.set(value, key, 'vandalised')
  }
  if (Array.isArray(value) && !Object.isFrozen(value)) value.length = 0
}
