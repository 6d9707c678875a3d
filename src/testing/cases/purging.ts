/** A purge removes the words of its entries from the owner's sessions, and only lists other places that contain them. */
import type { SessionRecord, Store } from '../../ports/store.ts'
import { equal, ok, present } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { applyOne, experience, givenId, note, topic } from '../requests.ts'

const SECRET = 'the vault opens with 7-9-2-4 "twice"'
const QUOTED = JSON.stringify({ content: SECRET })

export const purgingRules: readonly Rule[] = [
  {
    name: 'removes a long purged text from the sessions of its agent, wherever a value contains it',
    needs: 'sessions',
    async run({ store }) {
      const text = `Short line.\n  ${SECRET}  \nAnother short line.`
      const { id } = await applyOne(store, note('a', { content: 'of no matter' }))
      await applyOne(store, { op: 'write', id, content: text })
      await applyOne(store, { op: 'write', id, content: 'of no matter again' })
      await store.sessions.append('main', 's', [
        { role: 'user', content: `keep this: ${text}\nthanks` },
        { role: 'user', content: `it is ${SECRET}, he said` },
      ])
      await store.sessions.append('main', 's', [
        { role: 'tool', metadata: { calls: [{ name: 'remember', arguments: QUOTED }] }, deep: [[{ text: SECRET }]] },
        { role: 'user', content: 'Short line. Another short line.' },
      ])
      await store.purge([id])
      equal(
        await recordsIn(store, 'main', 's'),
        [
          { role: 'user', content: 'keep this: [purged]\nthanks' },
          { role: 'user', content: 'it is [purged], he said' },
          {
            role: 'tool',
            metadata: { calls: [{ name: 'remember', arguments: '{"content":"[purged]"}' }] },
            deep: [[{ text: '[purged]' }]],
          },
          { role: 'user', content: 'Short line. Another short line.' },
        ],
        'the session',
      )
    },
  },
  {
    name: 'removes a short purged text from a session only where it is the whole value',
    needs: 'sessions',
    async run({ store }) {
      const { id } = await applyOne(store, note('a', { content: 'content\n' }))
      const kept: SessionRecord = { role: 'user', content: 'the content of the box', contents: ['my contents'] }
      await store.sessions.append('main', 's', [{ content: 'content' }, { text: [' content\n', 'Content'] }, kept])
      await store.purge([id])
      const expected = [{ content: '[purged]' }, { text: ['[purged]', 'Content'] }, kept]
      equal(await recordsIn(store, 'main', 's'), expected, 'the session')
    },
  },
  {
    name: 'redacts a long description and long metadata of a purged entry in sessions, but no name and nothing short',
    needs: 'sessions',
    async run({ store }) {
      const [described, meta] = ['a description of the merger with ACME', 'the merger is on the first of May']
      const { id } = await applyOne(
        store,
        note('bank', { content: 'of no matter', description: described, metadata: { of: [meta], with: 'ACME corp' } }),
      )
      await applyOne(store, { op: 'write', id, description: 'short', metadata: {} })
      await store.sessions.append('main', 's', [
        { content: `it is ${described}` },
        { content: `so ${meta}!` },
        { content: 'bank' },
        { content: 'ACME corp' },
      ])
      await store.sessions.append('bob', 's', [{ content: described }])
      const { occurrences } = await store.purge([id])
      equal(
        await recordsIn(store, 'main', 's'),
        [{ content: 'it is [purged]' }, { content: 'so [purged]!' }, { content: 'bank' }, { content: 'ACME corp' }],
        'the session',
      )
      equal(occurrences, [{ in: 'session', scope: 'bob', key: 's' }], 'what is listed')
    },
  },
  {
    name: 'never changes keys, ids, roles, times and names in a session when the same words are purged',
    needs: 'sessions',
    async run({ store }) {
      const [turn, at] = [givenId(7), '2026-03-14T09:26:53.589Z']
      const words = [turn, at, 'user', 'turn', 'call-1', 'recall', 'compact', 'content']
      await store.sessions.append('main', 's', [
        {
          ...Object.fromEntries(words.map((word) => [word, 'x'])),
          type: 'turn',
          id: turn,
          at,
          role: 'user',
          content: 'hello',
        },
        {
          type: 'turn',
          id: givenId(8),
          at,
          role: 'assistant',
          content: '',
          tools: ['recall'],
          metadata: { calls: [{ id: 'call-1', name: 'recall', arguments: { query: 'hello' } }] },
        },
        { type: 'turn', id: givenId(9), at, role: 'tool', content: '', metadata: { call: 'call-1', created_at: at } },
        { type: 'marker', id: givenId(10), at, reason: 'compact', first: turn, through: turn, turns: 1, until: at },
        { type: 'revision', at, turn, content: 'hello again' },
        { type: 'slid', at, through: turn },
        { type: 'unmark', id: givenId(11), at, marker: turn },
        { type: 'replaced', at, archive_id: turn },
      ])
      const before = await store.sessions.read('main', 's')
      for (const content of words) {
        const { id } = await applyOne(store, note('a', { content }))
        await store.purge([id])
        equal(await store.sessions.read('main', 's'), before, `the session, when "${content}" is purged`)
      }
    },
  },
  {
    name: 'does not change sessions of other agents, and lists those that contain the purged words',
    needs: 'sessions',
    async run({ store }) {
      const { id } = await applyOne(store, note('a', { content: `${SECRET}\nonly 13 long` }))
      await store.sessions.append('bob', 'says it', [{ content: SECRET }])
      await store.sessions.append('bob', 'names it', [{ text: 'hello', [SECRET]: 'world' }])
      await store.sessions.append('bob', 'says nothing', [{ content: 'the vault' }])
      await store.sessions.append('main', 'says a short line', [{ content: 'it is only 13 long' }])
      await store.sessions.append('main', 'says it', [{ content: SECRET }])
      const before = await transcripts(store, 'bob')
      const { occurrences } = await store.purge([id])
      equal(await transcripts(store, 'bob'), before, 'the sessions of bob')
      equal(await recordsIn(store, 'main', 'says it'), [{ content: '[purged]' }], 'the session of main')
      equal(await recordsIn(store, 'main', 'says a short line'), [{ content: 'it is only 13 long' }], 'the short line')
      equal(
        occurrences.map((place) => (place.in === 'session' ? `${place.scope}: ${place.key}` : place.in)).sort(),
        ['bob: names it', 'bob: says it', 'main: says a short line'],
        'what is listed',
      )
    },
  },
  {
    name: 'does not change other entries, and lists those that contain or contained the purged words',
    needs: 'undo',
    async run({ store }) {
      const a = await applyOne(store, note('a', { content: 'content' }))
      const same = await applyOne(store, note('same', { scope: 'bob', content: 'all the content' }))
      const line = await applyOne(store, experience('some content', { metadata: { of: 'another' } }))
      const meta = await applyOne(store, topic('meta', { metadata: { deep: ['content'] } }))
      const had = await applyOne(store, note('had', { content: 'had content' }))
      await applyOne(store, { op: 'write', id: had.id, content: 'has none' })
      await applyOne(store, note('nothing of it'))
      const { occurrences } = await store.purge([a.id])
      equal(
        occurrences,
        [
          { in: 'entry', scope: 'bob', id: same.id, kind: 'note', name: 'same' },
          { in: 'entry', scope: 'main', id: line.id, kind: 'experience' },
          { in: 'entry', scope: 'world', id: meta.id, kind: 'topic', name: 'meta' },
          { in: 'entry', scope: 'main', id: had.id, kind: 'note', name: 'had', earlier: true },
        ],
        'what is listed',
      )
      equal((await store.get(same.id))?.content, 'all the content', 'the same text of another')
      equal((await store.get(line.id))?.content, 'some content', 'a line of the log')
    },
  },
  {
    name: 'removes a purged text of the world only from the sessions of the agent that runs the purge',
    needs: 'sessions',
    async run({ store }) {
      const agents = ['main', 'bob']
      for (const asking of [undefined, 'bob'] as const) {
        const key = `asked by ${asking}`
        const { id } = await applyOne(store, topic(key, { content: SECRET }))
        for (const agent of agents) await store.sessions.append(agent, key, [{ content: SECRET }])
        const { occurrences } = await store.purge(
          [id],
          asking === undefined ? {} : { origin: { by: 'agent', agent: asking } },
        )
        const said = await Promise.all(
          agents.map(async (agent) => (await recordsIn(store, agent, key))[0]?.['content']),
        )
        equal(said, [SECRET, asking === 'bob' ? '[purged]' : SECRET], key)
        const listed = occurrences.flatMap((place) => (place.in === 'session' && place.key === key ? place.scope : []))
        equal(listed.sort(), asking === 'bob' ? ['main'] : ['bob', 'main'], `what is listed, ${key}`)
      }
    },
  },
  {
    name: 'starts a session over only for a reader whose position is from before a purge',
    needs: 'sessions',
    async run({ store }) {
      const { id } = await applyOne(store, note('a', { content: SECRET }))
      await store.sessions.append('main', 's', [{ content: SECRET }, { n: 1 }])
      const { end } = await store.sessions.append('main', 's', [{ n: 2 }])
      const other = await store.sessions.append('main', 'other', [{ n: 3 }])
      await store.purge([id])
      const page = present(await store.sessions.read('main', 's', end), 'the session')
      equal([page.restarted, page.records], [true, [{ content: '[purged]' }, { n: 1 }, { n: 2 }]], 'read on')
      const tail = present(await store.sessions.readBefore('main', 's', end), 'the session')
      equal([tail.restarted, tail.records.at(-1)], [true, { n: 2 }], 'read back')
      const on = await store.sessions.append('main', 's', [{ n: 4 }], { expectEnd: page.next })
      equal((await store.sessions.read('main', 's', page.next))?.records, [{ n: 4 }], 'read on from there')
      ok(on.end !== end, 'a position from before the purge means nothing after it')
      const untouched = present(await store.sessions.read('main', 'other', other.end), 'the other session')
      equal([untouched.restarted, untouched.records], [undefined, []], 'the other session')
    },
  },
]

async function recordsIn(store: Store, agent: string, key: string): Promise<readonly SessionRecord[]> {
  return present(await store.sessions.read(agent, key), `the session "${key}" of ${agent}`).records
}

async function transcripts(store: Store, agent: string): Promise<unknown[]> {
  const sessions = await store.sessions.list(agent)
  return Promise.all(sessions.map(({ key }) => store.sessions.read(agent, key)))
}
