/** Places in a session: paging back from the end, appending only where it still ends as expected, and what a list tells. */
import type { SessionRecord, SessionTail, Store } from '../../ports/store.ts'
import { equal, ok, present, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'

/** How many records each append brings, and how long their texts are: much, little, and one that no page holds. */
const APPENDS: readonly (readonly [records: number, characters: number])[] = [
  [1, 10],
  [3, 20_000],
  [150, 10],
  ...Array.from({ length: 60 }, (_, n) => [1 + (n % 3), (n * 37) % 900] as const),
  [2, 40_000],
  [1, 0],
  ...Array.from({ length: 15 }, () => [1, 5000] as const),
]

export const sessionPlaceRules: readonly Rule[] = [
  {
    name: 'pages back through a session to what reading forward gives, and never parts what was appended together',
    needs: 'sessions',
    async run({ store }) {
      await appendMuch(store, 's')
      const forward = present(await store.sessions.read('main', 's'), 'the session')
      const pages = await pagesBack(store, 's')
      ok(pages.length > 1, 'a long session is more than one page')
      equal(
        pages.flatMap(({ records }) => records),
        forward.records,
        'the records',
      )
      equal(pages.at(-1)?.next, forward.next, 'where the last page ends')
      let rest: readonly SessionRecord[] = forward.records
      for (const page of pages) {
        equal([page.meta, page.broken], [forward.meta, []], 'meta and broken of a page')
        const { part } = present(page.records[0], 'the first record of a page')
        equal(part, 0, 'a page begins with what an append began with')
        equal((await store.sessions.read('main', 's', page.start))?.records, rest, 'read on from its start')
        rest = rest.slice(page.records.length)
      }
    },
  },
  {
    name: 'gives the position behind an append, which is a place to read from in both directions',
    needs: 'sessions',
    async run({ store }) {
      const ends: number[] = []
      for (let n = 0; n < 5; n++) ends.push((await store.sessions.append('main', 's', [{ n }, { n }])).end)
      for (const [n, end] of ends.entries()) {
        const on = present(await store.sessions.read('main', 's', end), 'the session')
        equal(on.records, numbered(n + 1, 5), `read on from the end of append ${n}`)
        const { records, start, next } = await tail(store, 's', end)
        equal([records, start, next], [numbered(0, n + 1), 0, end], `read back from the end of append ${n}`)
      }
      const { records, start, restarted } = await tail(store, 's', 0)
      equal([records, start, restarted], [[], 0, undefined], 'nothing is before the beginning')
      equal(await store.sessions.readBefore('main', 'none'), undefined, 'no such session')
      equal(await store.sessions.readBefore('main', 'none', ends[0]), undefined, 'no such session, at a position')
    },
  },
  {
    name: 'appends what expects an end only where the session still ends there',
    needs: 'sessions',
    async run({ store }) {
      await rejects(store.sessions.append('main', 's', [{ n: 0 }], { expectEnd: 7 }), 'CONFLICT', 'no session yet')
      equal(await store.sessions.list('main'), [], 'nothing was made')
      const first = await store.sessions.append('main', 's', [{ n: 1 }], { expectEnd: 0 })
      await rejects(store.sessions.append('main', 's', [{ n: 0 }], { expectEnd: 0 }), 'CONFLICT', 'it is there by now')
      const second = await store.sessions.append('main', 's', [{ n: 2 }, { n: 3 }], { expectEnd: first.end })
      await rejects(store.sessions.append('main', 's', [{ n: 0 }], { expectEnd: first.end }), 'CONFLICT', 'too late')
      const page = present(await store.sessions.read('main', 's'), 'the session')
      equal([page.records, page.next], [[{ n: 1 }, { n: 2 }, { n: 3 }], second.end], 'the session')
      const other = await store.sessions.append('main', 'other', [{ n: 4 }], { expectEnd: 0 })
      equal((await tail(store, 'other')).next, other.end, 'the end of another session')
    },
  },
  {
    name: 'lets exactly one of several appends win that expect the same end',
    needs: 'sessions',
    async run({ store }) {
      let end = 0
      for (let round = 0; round < 5; round++) {
        const tries = Array.from({ length: 6 }, (_, n) =>
          store.sessions.append('main', 's', [{ round, n }], { expectEnd: end }).then(
            (appended) => ({ n, ...appended }),
            () => undefined,
          ),
        )
        const won = (await Promise.all(tries)).filter((result) => result !== undefined)
        equal(won.length, 1, 'winners')
        const { records, next } = await tail(store, 's', won[0]?.end)
        equal([records.length, records.at(-1), next], [round + 1, { round, n: won[0]?.n }, won[0]?.end], 'the end')
        end = next
      }
    },
  },
  {
    name: 'lists many sessions, the oldest first and by key where they are equally old',
    needs: 'sessions',
    async run({ store, now, pass }) {
      const made: { key: string; createdAt: string }[] = []
      for (let n = 0; n < 60; n++) {
        if (n % 4 === 0) pass(n % 8 === 0 ? 90_000 : -60_000)
        const key = `chat ${(n * 17) % 60}`
        made.push({ key, createdAt: now() })
        await store.sessions.append('main', key, [{ n }])
      }
      pass(1000)
      await store.sessions.append('main', 'chat 0', [{ later: true }])
      const byAge = made.sort((a, b) => (a.createdAt + a.key < b.createdAt + b.key ? -1 : 1))
      equal(await store.sessions.list('main'), byAge, 'the list')
    },
  },
]

async function appendMuch(store: Store, key: string): Promise<void> {
  for (const [append, [records, characters]] of APPENDS.entries()) {
    const text = '語'.repeat(characters / 3)
    const parts = Array.from({ length: records }, (_, part): SessionRecord => ({ append, part, text }))
    await store.sessions.append('main', key, parts)
  }
}

/** Every page of a session, in the order of the session. */
async function pagesBack(store: Store, key: string): Promise<SessionTail[]> {
  const pages = [await tail(store, key)]
  for (let first = pages[0]; first && first.start !== 0; ) {
    const page = await tail(store, key, first.start)
    equal([page.next, page.restarted], [first.start, undefined], 'a page ends where the one after it starts')
    ok(page.start < first.start, 'each page starts further back')
    pages.unshift(page)
    first = page
  }
  return pages
}

async function tail(store: Store, key: string, before?: number): Promise<SessionTail> {
  return present(await store.sessions.readBefore('main', key, before), `session ${key}`)
}

/** Two records with each number. */
function numbered(from: number, to: number): SessionRecord[] {
  return Array.from({ length: to - from }, (_, n) => [{ n: from + n }, { n: from + n }]).flat()
}
