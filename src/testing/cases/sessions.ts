/** Sessions: transcripts that are only ever appended to; a key is any text, and two keys never share one. */
import { isKeepsakeError } from '../../errors.ts'
import type { SessionRecord, Store } from '../../ports/store.ts'
import { equal, ok, present, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'

/** Keys that a careless file name would confuse. */
const KEYS: readonly string[] = [
  'a:b',
  'a_b',
  'a%3ab',
  'a%3Ab',
  'A:B',
  'a b',
  'a/b',
  'a\\b',
  '/a/b',
  '../a',
  '..',
  '.',
  '~',
  '-',
  'con',
  'a.jsonl',
  'a',
  'A',
  ' a',
  'a\n',
  '%',
  '%2F',
  '\u00e9',
  'e\u0301',
  'é'.normalize('NFKD').toUpperCase(),
  '東京 🎉',
  '__proto__',
  `${'x'.repeat(5000)}1`,
  `${'x'.repeat(5000)}2`,
  `${'/'.repeat(300)}1`,
  `${'/'.repeat(300)}2`,
  `${'語'.repeat(200)}1`,
  `${'語'.repeat(200)}2`,
]

const RECORD: SessionRecord = JSON.parse(
  '{"role":"user","text":"line\\nbreak \\u2028 \\u0000 🎉","__proto__":{"x":1},"deep":[[[{"a":null}]]],"n":-1.5e-7,"":""}',
)

export const sessionRules: readonly Rule[] = [
  {
    name: 'has no session before the first append',
    needs: 'sessions',
    async run({ store }) {
      equal(await store.sessions.read('main', 'none'), undefined, 'read')
      equal(await store.sessions.list('main'), [], 'list')
    },
  },
  {
    name: 'reads what was appended, in order, and on from where a page ended',
    needs: 'sessions',
    async run({ store }) {
      await store.sessions.append('main', 's', [{ n: 1 }, { n: 2 }])
      await store.sessions.append('main', 's', [{ n: 3 }])
      const first = await read(store, 's')
      equal(first.records, [{ n: 1 }, { n: 2 }, { n: 3 }], 'records')
      equal(first.broken, [], 'broken')
      const none = await read(store, 's', first.next)
      equal(none.records, [], 'nothing new')
      await store.sessions.append('main', 's', [{ n: 4 }, { n: 5 }])
      const second = await read(store, 's', none.next)
      equal(second.records, [{ n: 4 }, { n: 5 }], 'the new ones')
      equal((await read(store, 's', 0)).records.length, 5, 'from the start')
    },
  },
  {
    name: 'tells key and createdAt of a session, which later appends leave as they are',
    needs: 'sessions',
    async run({ store, now, pass }) {
      const createdAt = now()
      await store.sessions.append('main', 'a:b', [{ n: 1 }])
      pass(60_000)
      await store.sessions.append('main', 'a:b', [{ n: 2 }])
      const { meta, next } = await read(store, 'a:b')
      const { key, createdAt: made } = meta
      equal([key, made], ['a:b', createdAt], 'meta')
      equal((await read(store, 'a:b', next)).meta, meta, 'meta of a later page')
      equal(await store.sessions.list('main'), [{ key: 'a:b', createdAt }], 'list')
    },
  },
  {
    name: 'keeps records as the JSON they are, and as they were when appended',
    needs: 'sessions',
    async run({ store }) {
      const reused = structuredClone(RECORD)
      await store.sessions.append('main', 's', [reused])
      Reflect.set(reused, 'role', 'changed by the writer')
      const page = await read(store, 's')
      equal(page.records, [RECORD], 'records')
      Reflect.set(present(page.records[0], 'the record'), 'role', 'changed by the reader')
      equal((await read(store, 's')).records, [RECORD], 'records read again')
    },
  },
  {
    name: 'never lets two keys share a session',
    needs: 'sessions',
    async run({ store }) {
      await appendToEach(store)
      await readEach(store)
    },
  },
  {
    name: 'never lets two keys of broken Unicode share a session, if it takes them at all',
    needs: 'sessions',
    async run({ store }) {
      const taken: string[] = []
      for (const key of ['\ud800', '\ud801', '\ufffd']) {
        const refused = await store.sessions.append('main', key, [{ key }]).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (refused === undefined) taken.push(key)
        else ok(isKeepsakeError(refused) && refused.code === 'INVALID', `refused with ${String(refused)}`)
      }
      for (const key of taken) equal((await read(store, key)).records, [{ key }], JSON.stringify(key))
    },
  },
  {
    name: 'keeps the sessions of each agent apart',
    needs: 'sessions',
    async run({ store }) {
      await store.sessions.append('main', 's', [{ of: 'main' }])
      await store.sessions.append('other', 's', [{ of: 'other' }])
      equal((await read(store, 's')).records, [{ of: 'main' }], 'main')
      equal((await store.sessions.read('other', 's'))?.records, [{ of: 'other' }], 'other')
      equal(await store.sessions.read('third', 's'), undefined, 'third')
      equal((await store.sessions.list('other')).length, 1, 'list')
    },
  },
  {
    name: 'keeps every record of appends that come at once',
    needs: 'sessions',
    async run({ store }) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => store.sessions.append('main', 's', [{ n }, { n }])))
      const { records } = await read(store, 's')
      equal(records.length, 40, 'number of records')
      for (let i = 0; i < 40; i += 2) equal(records[i], records[i + 1], 'the records of one append stand together')
    },
  },
  {
    name: 'refuses an empty key, a scope that is no agent, a record that is no object, and no records at all',
    needs: 'sessions',
    async run({ store }) {
      await rejects(store.sessions.append('main', '', [{}]), 'INVALID', 'an empty key')
      await rejects(store.sessions.append('main', 'a\0b', [{}]), 'INVALID', 'a key with a NUL character')
      equal(await store.sessions.read('main', 'a\0b'), undefined, 'the session with a NUL character')
      await rejects(store.sessions.append('../x', 's', [{}]), 'INVALID', 'a scope that is a path')
      for (const record of [[1], 'text', null, { n: 1n }]) {
        const given = record as unknown as SessionRecord // a caller in JavaScript
        await rejects(
          store.sessions.append('main', 's', [{ fine: true }, given]),
          'INVALID',
          `a record ${String(record)}`,
        )
      }
      await rejects(store.sessions.append('main', 's', []), 'INVALID', 'an append of nothing')
      equal(await store.sessions.list('main'), [], 'nothing was made')
    },
  },
  {
    name: 'leaves sessions out of the entries and of the feed',
    needs: 'sessions',
    async run({ store }) {
      await store.sessions.append('main', 's', [{ n: 1 }])
      equal((await store.feed()).changes, [], 'changes')
    },
  },
  {
    name: 'has its sessions again after a restart',
    needs: ['durable', 'sessions'],
    async run(trial) {
      await appendToEach(trial.store)
      const page = await read(trial.store, 'a:b')
      trial.pass(60_000)
      await trial.reopen()
      await readEach(trial.store)
      equal(await read(trial.store, 'a:b'), page, 'the page')
      await trial.store.sessions.append('main', 'a:b', [{ later: true }])
      const more = await read(trial.store, 'a:b', page.next)
      equal([more.records, more.meta], [[{ later: true }], page.meta], 'continued from before the restart')
    },
  },
]

async function appendToEach(store: Store): Promise<void> {
  for (const key of KEYS) await store.sessions.append('main', key, [{ key }])
}

async function readEach(store: Store): Promise<void> {
  for (const key of KEYS) {
    const shown = JSON.stringify(key.slice(-20))
    const page = await read(store, key)
    equal(page.records, [{ key }], `the records of ${shown}`)
    const { key: told } = page.meta
    equal(told, key, `the key of ${shown}`)
    equal(await store.sessions.readBefore('main', key), { ...page, start: 0 }, `${shown}, read from its end`)
  }
  const listed = (await store.sessions.list('main')).map(({ key }) => key)
  equal([...listed].sort(), [...KEYS].sort(), 'the list')
}

async function read(store: Store, key: string, from?: number) {
  return present(await store.sessions.read('main', key, from), `session ${JSON.stringify(key.slice(-20))}`)
}
