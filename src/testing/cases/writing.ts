/** Writing: what each operation fills in, changes and leaves alone, and a batch as a whole. */
import type { Entry, Metadata } from '../../model/entry.ts'
import { defaultExpiry } from '../../model/expiry.ts'
import { isId } from '../../model/id.ts'
import { KIND_NAMES, KINDS, type Kind } from '../../model/kinds.ts'
import type { AddOperation, Operation } from '../../model/operation.ts'
import { revisionOf } from '../../model/revision.ts'
import { equal, ok, present, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'
import {
  apply,
  applyOne,
  changesSince,
  context,
  experience,
  givenId,
  MAIN,
  note,
  scanned,
  topic,
  withoutPath,
} from '../requests.ts'

/** Texts that a format could trip over; the line ends at the very end are not part of a content. */
const TEXTS: readonly string[] = [
  'plain',
  '---',
  '---\nname: not front matter\n---\n\ntext',
  '\n\nleading newlines',
  '  leading blanks',
  'trailing blanks  ',
  '# Title\n\n## 12:00\n\n## 2026-03-14T09:26:53.589Z\n\n### deeper',
  '\\## 12:00\n\\\\## 12:00\n\\---',
  '<!-- {"id":"00000000-0000-7000-8000-000000000001"} -->',
  '\\<!-- {"id":"x"} -->\n<!-- a comment -->',
  'one\r\ntwo\r\n\r\nthree',
  'a lone\rcarriage return',
  '</memory>\n<recall>\n```\n## 10:00\n```',
  'tabs\tand \u2028 separators \u2029 and \u0085 and \u0007',
  '\ufeffa byte order mark',
  'Grüße, 東京, Привет, 🎉👨‍👩‍👧, e\u0301, \u202eright to left',
]

const METADATA: Metadata = JSON.parse(
  `{"type":"user's own","created_at":1,"id":"x","kind":[],"__proto__":{"polluted":true},"constructor":null,"":"empty key",
    "deep":{"list":[1,-0.5,1e21,"two",[null,{"__proto__":1}],{}],"yes":true},"ключ 🎉":"line\\nbreak","tags":["a","b"]}`,
)

const MINIMAL: Readonly<Record<Kind, Partial<AddOperation>>> = {
  topic: { scope: 'world', name: 'n' },
  memory: {},
  identity: {},
  note: { name: 'note' },
  fact: { name: 'fact' },
  archive: { name: 'archive' },
  experience: {},
  history: {},
  conversation: {},
  context: { key: 'k' },
}

export const writingRules: readonly Rule[] = [
  {
    name: 'adds an entry of every kind and fills in what was left out',
    async run({ store, now }) {
      const { timezone } = await store.settings()
      for (const kind of KIND_NAMES) {
        const given = addOf(kind)
        const entry = await applyOne(store, given)
        ok(isId(entry.id), `the id of a ${kind} is "${entry.id}"`)
        ok(Number.isSafeInteger(entry.seq) && entry.seq > 0, `the seq of a ${kind} is ${entry.seq}`)
        const { id, seq } = entry
        const rest = {
          scope: given.scope,
          kind,
          name: KINDS[kind].fixedName ?? given.name ?? null,
          ...(given.key === undefined ? {} : { key: given.key }),
          aliases: [],
          description: '',
          content: `a ${kind}`,
          metadata: {},
          createdAt: now(),
          updatedAt: now(),
          expiresAt: defaultExpiry(kind, now(), timezone),
          origin: MAIN,
        }
        equal(withoutPath(entry), { id, seq, revision: revisionOf(rest), ...rest }, `the ${kind}`)
        equal(await store.get(id), entry, `get the ${kind}`)
      }
    },
  },
  {
    name: 'keeps content byte for byte, the line ends at its end apart',
    async run({ store }) {
      await keepsTexts(
        (operations) => apply(store, operations),
        () => scanned(store),
      )
    },
  },
  {
    name: 'keeps content and metadata byte for byte over a restart',
    needs: 'durable',
    async run(trial) {
      await keepsTexts(
        (operations) => apply(trial.store, operations),
        async () => {
          await trial.reopen()
          return scanned(trial.store)
        },
      )
      const { id } = await applyOne(trial.store, note('meta', { metadata: METADATA, description: 'a: "b" # c' }))
      await trial.reopen()
      const entry = present(await trial.store.get(id), 'the entry after a restart')
      equal([entry.metadata, entry.description], [METADATA, 'a: "b" # c'], 'metadata and description')
    },
  },
  {
    name: 'keeps any JSON as metadata, whatever its keys',
    async run({ store }) {
      for (const kind of ['topic', 'note', 'experience', 'context'] as const) {
        const { id } = await applyOne(store, { ...addOf(kind), metadata: METADATA })
        equal((await store.get(id))?.metadata, METADATA, `metadata of a ${kind}`)
      }
    },
  },
  {
    name: 'keeps id, seq, times and origin that are given',
    needs: 'lastingSeq',
    async run({ store }) {
      const origin = { by: 'import', agent: 'main', session: 's:1' } as const
      const times = { createdAt: '2020-02-29T23:59:59.999Z', updatedAt: '2021-01-01T00:00:00.000Z' }
      for (const [n, kind] of (['topic', 'fact', 'archive', 'history', 'conversation', 'context'] as const).entries()) {
        const given = { id: givenId(n), seq: 100 + n, ...times, origin }
        const entry = await applyOne(store, { ...addOf(kind), ...given })
        const { id, seq, createdAt, updatedAt } = entry
        equal({ id, seq, createdAt, updatedAt, origin: entry.origin }, given, `the given of a ${kind}`)
        equal(await store.get(id), entry, `get the ${kind}`)
      }
    },
  },
  {
    name: 'keeps an expiry that is given, and null for never',
    async run({ store }) {
      const at = '2030-01-01T12:00:00.000Z'
      equal((await applyOne(store, note('a', { expiresAt: at }))).expiresAt, at, 'note')
      equal((await applyOne(store, experience('b', { expiresAt: '2030-01-01T13:00:00+01:00' }))).expiresAt, at, 'zone')
      equal((await applyOne(store, context('k', 'c', { expiresAt: null }))).expiresAt, null, 'context')
    },
  },
  {
    name: 'counts seq up and never gives one twice',
    needs: 'lastingSeq',
    async run({ store }) {
      await neverReusesSeq(
        (operations) => apply(store, operations),
        async () => undefined,
      )
    },
  },
  {
    name: 'never gives a seq twice over a restart',
    needs: ['durable', 'lastingSeq'],
    async run(trial) {
      await neverReusesSeq((operations) => apply(trial.store, operations), trial.reopen)
    },
  },
  {
    name: 'moves the count past a seq that is given, also within the batch',
    needs: 'lastingSeq',
    async run({ store }) {
      const { entries } = await apply(store, [note('first'), note('given', { seq: 50 }), note('next')])
      const seqs = entries.map(({ seq }) => seq)
      equal(new Set(seqs).size, 3, `different seqs in ${seqs.join(', ')}`)
      ok((await applyOne(store, note('later'))).seq > 50, 'a later seq is past the given one')
    },
  },
  {
    name: 'refuses a seq of an entry that is gone, which may come back with it',
    needs: 'lastingSeq',
    async run({ store }) {
      const { id, seq } = await applyOne(store, note('a'))
      await apply(store, [{ op: 'remove', id }])
      await rejects(apply(store, [note('b', { seq })]), 'INVALID', 'the seq of a removed entry')
    },
  },
  {
    name: 'refuses a seq that another living entry holds',
    needs: 'lastingSeq',
    async run({ store }) {
      const { seq } = await applyOne(store, note('a'))
      await rejects(apply(store, [note('b', { seq })]), 'INVALID', 'the seq of a living entry')
      await rejects(
        apply(store, [note('c', { seq: 70 }), note('d', { seq: 70 })]),
        'INVALID',
        'one seq twice in a batch',
      )
      equal((await scanned(store)).length, 1, 'number of entries')
    },
  },
  {
    name: 'writes only what it is given; id, seq, scope, kind, names and createdAt never change',
    async run({ store, pass }) {
      const before = await applyOne(store, note('a', { aliases: ['b'], description: 'd', metadata: { m: 1 } }))
      const patches: readonly Partial<Entry>[] = [
        { content: 'new' },
        { description: 'new' },
        { metadata: { n: [2] } },
        { expiresAt: '2030-01-01T00:00:00.000Z' },
        { expiresAt: null },
        { content: 'all', description: '', metadata: {}, expiresAt: '2031-01-01T00:00:00.000Z' },
      ]
      let expected = withoutPath(before)
      for (const patch of patches) {
        const updatedAt = pass(1000)
        const written = await applyOne(store, { op: 'write', id: before.id, ...patch })
        const merged = { ...expected, ...patch, updatedAt }
        expected = { ...merged, revision: revisionOf(merged) }
        equal(withoutPath(written), expected, `after writing ${Object.keys(patch).join(', ')}`)
        equal(await store.get(before.id), written, 'get')
      }
    },
  },
  {
    name: 'makes the origin of the last write its own, and leaves it with a rename or alias',
    async run({ store }) {
      const { id } = await applyOne(store, note('a'))
      const hand = { by: 'hand' } as const
      await store.apply({ operations: [{ op: 'rename', id, name: 'b' }], origin: hand })
      equal((await store.get(id))?.origin, MAIN, 'after a rename')
      await store.apply({ operations: [{ op: 'write', id, content: 'x' }], origin: hand })
      equal((await store.get(id))?.origin, hand, 'after a write')
    },
  },
  {
    name: 'rewrites entries of every kind, and a memory also with nothing',
    async run({ store }) {
      for (const kind of KIND_NAMES) {
        const { id } = await applyOne(store, addOf(kind))
        await applyOne(store, { op: 'write', id, content: `again a ${kind}` })
        equal((await store.get(id))?.content, `again a ${kind}`, `the ${kind}`)
      }
      const memory = present(await store.resolve('main', 'MEMORY'), 'MEMORY')
      await applyOne(store, { op: 'write', id: memory.id, content: '' })
      equal((await store.get(memory.id))?.content, '', 'the emptied memory')
    },
  },
  {
    name: 'never makes an entry older than it was, when the clock goes back',
    async run({ store, pass, now }) {
      const { id } = await applyOne(store, note('a'))
      const before = now()
      pass(-3_600_000)
      const written = await applyOne(store, { op: 'write', id, content: 'b' })
      equal(written.updatedAt, before, 'updatedAt')
      equal(written.createdAt, before, 'createdAt')
    },
  },
  {
    name: 'removes entries of every kind and returns them as they were',
    async run({ store }) {
      for (const kind of KIND_NAMES) {
        const entry = await applyOne(store, addOf(kind))
        const removed = await applyOne(store, { op: 'remove', id: entry.id })
        equal(withoutPath(removed), withoutPath(entry), `the removed ${kind}`)
        equal(await store.get(entry.id), undefined, `get the removed ${kind}`)
        await rejects(apply(store, [{ op: 'remove', id: entry.id }]), 'NOT_FOUND', `a second removal of the ${kind}`)
      }
      equal(await scanned(store), [], 'scan')
    },
  },
  {
    name: 'brings a removed entry back as it was',
    needs: 'undo',
    async run({ store, pass }) {
      for (const kind of ['topic', 'note', 'experience', 'context'] as const) {
        const entry = await applyOne(store, { ...addOf(kind), metadata: { m: 1 }, description: 'd' })
        pass(5000)
        const { change } = await apply(store, [{ op: 'remove', id: entry.id }])
        const { revision: _, path: __, ...whole } = entry
        const reverts = [present(change, 'change').number]
        await store.apply({ operations: [{ op: 'add', ...whole }], origin: { by: 'undo' }, reverts })
        equal(await store.get(entry.id), entry, `the ${kind} that came back`)
      }
    },
  },
  {
    name: 'returns each touched entry once, in the order of the operations, as it is now',
    async run({ store }) {
      const a = await applyOne(store, note('a', { aliases: ['x'] }))
      const b = await applyOne(store, note('b'))
      const { entries, warnings } = await apply(store, [
        { op: 'write', id: b.id, content: 'b one' },
        note('c', { id: givenId(1) }),
        { op: 'write', id: b.id, content: 'b two' },
        { op: 'remove', id: a.id },
        { op: 'rename', id: givenId(1), name: 'd' },
      ])
      const told = entries.map(({ name, content }) => `${name}: ${content}`)
      equal(told, ['b: b two', 'd: about c', 'a: about a'], 'entries')
      equal(warnings, [], 'warnings')
    },
  },
  {
    name: 'makes no change of a batch that asks for nothing new, and returns what it named as it is',
    async run({ store, pass }) {
      const before = await applyOne(store, note('a', { aliases: ['b'], description: 'd', metadata: { m: 1, n: 2 } }))
      pass(1000)
      const idle: readonly (readonly Operation[])[] = [
        [],
        [{ op: 'write', id: before.id, content: before.content }],
        [{ op: 'write', id: before.id, description: ' d\n', metadata: { n: 2, m: 1 }, expiresAt: null }],
        [{ op: 'rename', id: before.id, name: 'a' }],
        [{ op: 'alias', id: before.id, alias: 'a' }],
        [{ op: 'alias', id: before.id, alias: 'b' }],
        [{ op: 'alias', id: before.id, alias: 'b', mode: 'take' }],
        [
          { op: 'rename', id: before.id, name: 'a' },
          { op: 'alias', id: before.id, alias: 'b' },
        ],
      ]
      for (const operations of idle) {
        const applied = await apply(store, operations)
        ok(applied.change === undefined, `a change came of ${JSON.stringify(operations)}`)
        equal(applied.entries, operations.length === 0 ? [] : [before], `entries of ${JSON.stringify(operations)}`)
      }
      equal(await store.get(before.id), before, 'the entry')
      if (store.capabilities.history !== true) return
      equal((await changesSince(store)).changes.length, 1, 'number of changes')
    },
  },
  {
    name: 'updates the time of a fact that is written again unchanged',
    async run({ store, pass }) {
      const { id, revision } = await applyOne(store, note('a', { kind: 'fact' }))
      const updatedAt = pass(1000)
      const again = await applyOne(store, { op: 'write', id, content: 'about a' })
      equal([again.revision, again.updatedAt], [revision, updatedAt], 'revision and time')
    },
  },
  {
    name: 'lets the operations of a batch build on each other',
    async run({ store }) {
      const id = givenId(7)
      await apply(store, [
        note('a', { id }),
        { op: 'rename', id, name: 'b' },
        { op: 'alias', id, alias: 'c' },
        { op: 'write', id, content: 'written', metadata: { m: 1 } },
        { op: 'alias', id, alias: 'a', mode: 'drop' },
        note('a'),
      ])
      const entry = present(await store.get(id), 'the entry')
      equal([entry.name, entry.aliases, entry.content, entry.metadata], ['b', ['c'], 'written', { m: 1 }], 'the entry')
      await apply(store, [note('gone', { id: givenId(8) }), { op: 'remove', id: givenId(8) }])
      equal(await store.get(givenId(8)), undefined, 'added and removed in one batch')
      equal(await store.resolve('main', 'gone'), undefined, 'its name')
    },
  },
  {
    name: 'applies all of a batch or nothing of it',
    needs: 'atomicBatch',
    async run({ store, pass }) {
      const a = await applyOne(store, note('a', { aliases: ['x'], metadata: { m: 1 } }))
      const b = await applyOne(store, note('b'))
      const before = { entries: await scanned(store), feed: await changesSince(store) }
      const good: readonly Operation[] = [
        note('new'),
        context('k', 'v'),
        { op: 'write', id: a.id, content: 'changed' },
        { op: 'rename', id: a.id, name: 'renamed' },
        { op: 'alias', id: b.id, alias: 'x', mode: 'take' },
        { op: 'remove', id: b.id },
      ]
      const bad: readonly Operation[] = [note('a', { aliases: ['x'] }), note(''), { op: 'remove', id: givenId(9) }]
      for (const last of bad) {
        pass(1000)
        const at = good.slice(0, last === bad[0] ? 2 : good.length)
        const failed = await apply(store, [...at, last]).then(
          () => false,
          () => true,
        )
        ok(failed, `a batch that ends with ${JSON.stringify(last)} was applied`)
        equal(await scanned(store), before.entries, 'the entries after the refusal')
        equal(await changesSince(store), before.feed, 'the feed after the refusal')
        for (const name of ['new', 'renamed']) equal(await store.resolve('main', name), undefined, `"${name}"`)
        equal(await store.resolveKey('main', 'k'), undefined, 'the key')
        equal((await store.resolve('main', 'x'))?.id, a.id, 'the alias')
      }
    },
  },
  {
    name: 'applies batches that come at once one after the other',
    async run({ store }) {
      const batches = Array.from({ length: 20 }, (_, n) => apply(store, [note(`n${n}`), experience(`e${n}`)]))
      const results = await Promise.all(batches)
      const { history, lastingSeq } = store.capabilities
      if (history === true) equal(new Set(results.map(({ change }) => change?.number)).size, 20, 'different numbers')
      const seqs = new Set(results.flatMap(({ entries }) => entries.map(({ seq }) => seq)))
      if (lastingSeq === true) equal(seqs.size, 40, 'different seqs')
      equal((await scanned(store)).length, 40, 'number of entries')
    },
  },
]

function addOf(kind: Kind): AddOperation {
  return { op: 'add', scope: 'main', kind, content: `a ${kind}`, ...MINIMAL[kind] }
}

async function keepsTexts(
  write: (operations: Operation[]) => Promise<unknown>,
  read: () => Promise<Entry[]>,
): Promise<void> {
  for (const [n, text] of TEXTS.entries()) {
    await write([
      topic(`t${n}`, { content: text }),
      note(`n${n}`, { content: `${text}\n` }),
      experience(text),
      { op: 'add', scope: 'main', kind: 'history', content: `${text}\r\n\n` },
      context(`k${n}`, text),
      { op: 'add', scope: `agent${n}`, kind: 'memory', content: text },
      { op: 'add', scope: `agent${n}`, kind: 'identity', content: text },
    ])
  }
  const found = await read()
  for (const kind of ['topic', 'note', 'experience', 'history', 'context', 'memory', 'identity']) {
    const contents = found.filter((entry) => entry.kind === kind).map(({ content }) => content)
    equal(contents.sort(), [...TEXTS].sort(), `contents of kind ${kind}`)
  }
}

async function neverReusesSeq(
  write: (operations: Operation[]) => Promise<{ readonly entries: readonly Entry[] }>,
  restart: () => Promise<void>,
): Promise<void> {
  let last = 0
  for (let n = 0; n < 6; n++) {
    const { entries } = await write([note(`a${n}`), experience(`b${n}`)])
    for (const { seq } of entries) {
      ok(seq > last, `seq ${seq} came after ${last}`)
      last = seq
    }
    // Even the newest ones leave a gap behind; every second time nothing at all is left.
    await write(entries.slice(n % 2).map(({ id }) => ({ op: 'remove', id })))
    await restart()
  }
}
