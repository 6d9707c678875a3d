/** Entries and answers made by hand, to test how they read without a search behind them. */
import type { Entry } from '../../src/model/entry.ts'
import { KIND_NAMES } from '../../src/model/kinds.ts'
import type { Found, Hit, Range, Searched, Why } from '../../src/recall/found.ts'

export function entryOf(content: string, more: Partial<Entry> = {}): Entry {
  return {
    id: '01a1e141-051b-77f7-9285-cbc46dbe4791',
    seq: 1,
    revision: '0123456789abcdef',
    scope: 'main',
    kind: 'note',
    name: 'Deploys',
    aliases: [],
    description: '',
    content,
    metadata: {},
    createdAt: '2026-11-15T22:08:17.179Z',
    updatedAt: '2026-11-15T22:08:17.179Z',
    expiresAt: null,
    origin: { by: 'agent', agent: 'main' },
    path: 'agents/main/entries/deploys.md',
    ...more,
  }
}

/** Of the log: it has no name. */
export function loggedOf(content: string): Entry {
  const { path: _, ...rest } = entryOf(content)
  return { ...rest, kind: 'experience', name: null, path: 'agents/main/daily/2026-11-15.md' }
}

/** Highlights wherever one of the words stands. */
export function hitOf(entry: Entry, words: readonly string[] = [], more: Partial<Hit> = {}): Hit {
  const highlights = words
    .flatMap((word) => [...entry.content.matchAll(new RegExp(word, 'g'))])
    .map((match): Range => [match.index, match.index + match[0].length])
    .sort(([a], [b]) => a - b)
  return { entry, score: 0.834, highlights, alike: [], ...more }
}

export function searchedOf(more: Partial<Searched> = {}): Searched {
  return {
    mode: 'lexical',
    query: 'when do we deploy',
    understood: { words: ['deploy'], phrases: [], prefixes: [], not: [], ignored: ['when', 'do', 'we'] },
    scopes: ['world', 'main'],
    kinds: KIND_NAMES.filter((kind) => kind !== 'identity'),
    entries: 42,
    matched: 1,
    omitted: 0,
    nearest: [],
    ...more,
  }
}

export function foundOf(
  hits: readonly Hit[],
  searched: Partial<Searched> = {},
  warnings: readonly string[] = [],
): Found {
  return { hits, searched: searchedOf({ matched: hits.length, ...searched }), warnings }
}

export const WHY: Why = {
  words: [
    { text: 'deploys', term: 'deploy', counts: { name: 1, content: 3 }, documents: 4, score: 2.314 },
    { text: '"smoke tests"', term: 'smoke test', counts: { content: 1 }, documents: 1, score: 1.1 },
    { text: 'Stag*', term: 'stag*', counts: { tags: 2 }, documents: 2, score: 0.5 },
    { text: 'heron', term: 'heron', counts: {}, documents: 12, score: 0 },
  ],
  supports: [
    { by: 'neighbour', score: 0.4 },
    { by: 'nearness', score: 0.2 },
  ],
  boosts: [
    { by: 'length', factor: 0.95 },
    { by: 'recency', factor: 1.05 },
  ],
  best: 5.2,
  score: 0.834,
}
