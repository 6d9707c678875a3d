/** The order by meaning and by both, with vectors that are given: what the real model makes of texts is in test/recall. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Origin } from '../model/entry.ts'
import { newId } from '../model/id.ts'
import { KINDS } from '../model/kinds.ts'
import type { Operation } from '../model/operation.ts'
import { instant } from '../model/time.ts'
import { type Analyzer, loadAnalyzer } from '../search/analyzer.ts'
import { parseQuery } from '../search/query.ts'
import { memoryStore } from '../stores/memory.ts'
import type { SearchMode, SearchOptions } from './found.ts'
import { type Ranking, rank } from './rank.ts'
import { RecallIndex } from './recall-index.ts'
import { inMode, searchRequest } from './request.ts'
import { MEANING_WEIGHT } from './settings.ts'
import type { MeaningView } from './vectors/meaning-view.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
let analyzer: Analyzer

beforeAll(async () => {
  analyzer = await loadAnalyzer('en')
})

interface Given {
  readonly content: string
  /** Missing: it has no vector. */
  readonly cosine?: number
  readonly kind?: 'note' | 'fact' | 'experience' | 'conversation'
  /** Of its log; default: all at once. */
  readonly minute?: number
  readonly days?: number
  readonly session?: string
}

/** The contents in the order of the ranking, with their scores. */
async function ranked(
  all: readonly Given[],
  query: string,
  mode: SearchMode,
  options: SearchOptions & { readonly most?: number } = {},
): Promise<Ranking & { readonly contents: string[] }> {
  const { most = 120, ...asked } = options
  const store = memoryStore({ clock: () => NOW, settings: { timezone: 'UTC' } })
  const ids = all.map((_, n) => newId(NOW - 1000 + n))
  const operations = all.map(({ content, kind = 'note', minute = 0, days = 0, session }, n): Operation => {
    const at = instant(NOW - 7_200_000 + minute * 60_000 - days * 86_400_000)
    const named = KINDS[kind].naming === 'none' ? {} : { name: `Entry ${n}` }
    const origin: Origin = { by: 'agent', agent: 'main', ...(session === undefined ? {} : { session }) }
    return { op: 'add', id: ids[n] ?? '', scope: 'main', kind, content, ...named, createdAt: at, updatedAt: at, origin }
  })
  await store.apply({ operations, origin: { by: 'agent', agent: 'main' } })
  const cosines = new Map(all.map(({ cosine }, n) => [ids[n] ?? '', cosine]))
  const meaning: MeaningView = {
    model: 'given',
    pending: all.filter(({ cosine }) => cosine === undefined).length,
    cosine: (id) => cosines.get(id),
    cosines: (asked) =>
      new Map([...asked].flatMap((id) => (cosines.get(id) === undefined ? [] : [[id, cosines.get(id) ?? 0]]))),
    best: (_, accepts) =>
      [...cosines].flatMap(([id, cosine]) => (cosine === undefined || !accepts(id) ? [] : [{ id, cosine }])),
  }
  const request = inMode(searchRequest(query, { ...asked, mode }, { scopes: ['main'], nowMs: NOW }), mode)
  const index = new RecallIndex(store, ['main'], analyzer)
  const ranking = await index.inStep((indexes, problems) =>
    rank({ indexes, problems, query: parseQuery(query, analyzer), request, meaning, exact: [], most }),
  )
  const contents = ranking.candidates.map(({ id }) => all[ids.indexOf(id)]?.content ?? '')
  return { ...ranking, contents }
}

describe('by meaning', () => {
  it('goes by the cosine alone, then by what is newer', async () => {
    const all = [
      { content: 'tea old', cosine: 0.5, days: 3 },
      { content: 'tea tea tea', cosine: 0.4 },
      { content: 'no such word', cosine: 0.9 },
      { content: 'tea new', cosine: 0.5 },
    ]
    const { contents, candidates } = await ranked(all, 'tea', 'semantic')
    expect(contents).toEqual(['no such word', 'tea new', 'tea old', 'tea tea tea'])
    expect(candidates.map(({ score }) => score)).toEqual([0.9, 0.5, 0.5, 0.4])
    const close = [
      { content: 'nearer', cosine: 0.50002, days: 3 },
      { content: 'newer', cosine: 0.50001 },
    ]
    expect((await ranked(close, 'tea', 'semantic')).contents).toEqual(['nearer', 'newer'])
  })

  it('finds neither what has no vector nor what is opposite', async () => {
    const all = [{ content: 'tea' }, { content: 'tea too', cosine: -0.2 }]
    const { contents, vectors } = await ranked(all, 'tea', 'semantic', { minScore: 0 })
    expect([contents, vectors?.pending]).toEqual([[], 1])
  })

  it('says whether there are more than were looked at', async () => {
    const all = [1, 2, 3].map((n) => ({ content: `${n}`, cosine: 0.5 + n / 10 }))
    expect((await ranked(all, 'tea', 'semantic', { most: 2 })).hasMore).toBe(true)
    expect((await ranked(all, 'tea', 'semantic', { most: 4 })).hasMore).toBe(false)
  })
})

describe('by both', () => {
  it('brings up what either of them does, and no more', async () => {
    const all = [
      { content: 'tea', cosine: 0.05 },
      { content: 'an infusion', cosine: 0.6 },
      { content: 'a kettle', cosine: 0.2 },
      { content: 'tea, not embedded' },
      { content: 'neither' },
    ]
    const { contents } = await ranked(all, 'tea', 'hybrid')
    expect(new Set(contents)).toEqual(new Set(['tea', 'an infusion', 'tea, not embedded']))
    expect((await ranked(all, 'tea', 'hybrid', { minCosine: 0.1 })).contents).toContain('a kettle')
    expect((await ranked(all, 'tea', 'hybrid', { minCosine: 0.7 })).contents).not.toContain('an infusion')
  })

  it('looks at as many of the nearest as are to be shown, and says whether there are more', async () => {
    const all = Array.from({ length: 110 }, (_, n) => ({ content: `${n}`, cosine: 0.5 + n / 1000 }))
    const { contents, hasMore } = await ranked(all, 'tea', 'hybrid', { limit: 100 })
    expect([contents.length, contents[0], hasMore]).toEqual([100, '109', true])
    expect((await ranked(all.slice(0, 20), 'tea', 'hybrid')).hasMore).toBe(false)
  })

  it('puts what both speak for first', async () => {
    const all = [
      { content: 'tea of the one kind', cosine: 0.1 },
      { content: 'tea of the other kind', cosine: 0.7 },
      { content: 'something else', cosine: 0.7 },
    ]
    expect((await ranked(all, 'tea', 'hybrid')).contents[0]).toBe('tea of the other kind')
  })

  it('is the words alone where nothing that may be shown has a vector', async () => {
    const all = [
      { content: 'tea' },
      { content: 'tea of the other kind' },
      { content: 'fact', kind: 'fact' as const, cosine: 1 },
    ]
    const scores = async (mode: SearchMode): Promise<number[]> =>
      (await ranked(all, 'tea', mode, { kinds: ['note'] })).candidates.map(({ score }) => score)
    expect(await scores('hybrid')).toEqual(await scores('lexical'))
  })

  it('takes what has no vector yet for as near as others with words are, or else for as near as the nearest', async () => {
    const pending = { content: 'tea of no kind' }
    const meaningOf = async (...others: readonly Given[]): Promise<number | undefined> => {
      const { candidates, contents } = await ranked([pending, ...others], 'tea', 'hybrid', { explain: true })
      return candidates[contents.indexOf(pending.content)]?.why?.meaning?.score
    }
    const share = MEANING_WEIGHT / (1 + MEANING_WEIGHT)
    const near = Array.from({ length: 30 }, (_, n) => ({ content: `${n}`, cosine: 0.9 }))
    expect(await meaningOf(...near, { content: 'tea', cosine: 0.5 })).toBeCloseTo(share * 0.25, 9)
    expect(await meaningOf(...near)).toBeCloseTo(share * 0.81, 9)
    expect(await meaningOf({ content: 'far', cosine: 0.1 })).toBe(0)
  })

  it('brings up an answer by the question before it', async () => {
    const turn = { cosine: 0.05, kind: 'conversation', session: 's' } as const
    const all = [
      { ...turn, content: 'What shall we drink?', cosine: 0.8, minute: 0 },
      { ...turn, content: 'The usual.', minute: 1 },
      ...[60, 61, 62, 63].map((minute) => ({ ...turn, content: `Far ${minute}`, minute })),
    ]
    const { contents } = await ranked(all, 'beverage', 'hybrid')
    expect(contents.slice(0, 2)).toEqual(['What shall we drink?', 'The usual.'])
    expect(contents).not.toContain('Far 63')
  })

  it.each([{ kind: 'experience' }, { kind: 'experience', session: 's' }, { kind: 'conversation' }] as const)(
    'does not bring up an entry by another of its day: %o',
    async (entry) => {
      const all = [
        { ...entry, content: 'What shall we drink?', cosine: 0.8, minute: 0 },
        { ...entry, content: 'The usual.', cosine: 0.05, minute: 1 },
      ]
      const { contents, candidates } = await ranked(all, 'beverage', 'hybrid')
      expect(contents).toEqual(['What shall we drink?'])
      expect(candidates[0]?.score).toBeCloseTo((MEANING_WEIGHT * 0.8 ** 2) / (1 + MEANING_WEIGHT), 9)
    },
  )

  it.each(['semantic', 'hybrid'] as const)('keeps to filters, phrases and exclusions (%s)', async (mode) => {
    const all = [
      { content: 'green tea', cosine: 0.9 },
      { content: 'tea green', cosine: 0.8, kind: 'fact' as const },
      { content: 'an infusion', cosine: 0.7 },
    ]
    expect((await ranked(all, 'tea', mode, { kinds: ['fact'] })).contents).toEqual(['tea green'])
    expect((await ranked(all, '"green tea"', mode)).contents).toEqual(['green tea'])
    expect((await ranked(all, 'drink -tea', mode)).contents).toEqual(['an infusion'])
    expect((await ranked(all, 'drink -"green tea"', mode)).contents).toEqual(['tea green', 'an infusion'])
  })
})

describe('by words', () => {
  it('has more only when more entries match than it looked at', async () => {
    const all = [{ content: 'tea one' }, { content: 'tea two' }, { content: 'tea three' }]
    expect((await ranked(all, 'tea', 'lexical', { most: 2 })).hasMore).toBe(true)
    expect((await ranked(all, 'tea', 'lexical', { most: 3 })).hasMore).toBe(false)
  })
})
