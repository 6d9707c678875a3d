/**
 * A larger limit only adds hits: the same question with any limit gives the beginning of one list, with the same scores, in every
 * mode and while vectors are missing. What is equally near comes newest first, however many there are and whoever embedded when.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import { instant } from '../../src/model/time.ts'
import type { Embed } from '../../src/ports/embed.ts'
import type { SearchMode } from '../../src/recall/found.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { isNightly } from '../tier.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const MINUTE = 60_000
const RUNS = isNightly ? 10 : 1
const MODES: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid']

function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Texts that share words are near each other; so are some that share none. */
const BY_WORDS: Embed = {
  model: 'words by hash',
  embed: async (texts) => texts.map(hashed),
  close: async () => undefined,
}

function hashed(text: string): Float32Array {
  const vector = new Float32Array(16)
  for (const word of text.match(/\w+/g) ?? []) {
    let hash = 7
    for (const character of word) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0
    const at = hash % 16
    vector[at] = (vector[at] ?? 0) + 1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((number) => number / length)
}

async function opened(embed: Embed): Promise<Memory> {
  const clock = (): number => NOW
  const store = memoryStore({ clock, settings: { timezone: 'UTC' } })
  // So that no search embeds what is pending.
  return openMemory({ store, clock, embed, searchBy: 'meaning too once loaded' })
}

/** No mode is named where vectors have a say, so that nothing is embedded for the search. */
async function found(memory: Memory, query: string, mode: SearchMode, limit: number): Promise<[string, number][]> {
  const how = mode === 'lexical' ? { mode } : { preferredMode: mode }
  const { hits, searched } = await memory.search(query, { ...how, limit, minScore: 0 })
  expect(searched.mode).toBe(mode)
  return hits.map(({ entry, score }) => [entry.content, score])
}

function operation(content: string, minute: number, kind: 'note' | 'conversation' = 'note'): AddOperation {
  const at = instant(NOW - 30 * 86_400_000 + minute * MINUTE)
  const session = `s${Math.floor(minute / 12)}`
  return {
    op: 'add',
    scope: 'main',
    kind,
    content,
    ...(kind === 'note' ? { name: `.${minute}` } : {}),
    createdAt: at,
    updatedAt: at,
    origin: { by: 'import', agent: 'main', ...(kind === 'note' ? {} : { session }) },
  }
}

describe('a larger limit', () => {
  it('only adds hits, with turns and notes, with and without vectors', async () => {
    let pending = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
        const random = randomNumbers(seed)
        const word = (): string => `w${Math.floor(60 * random() ** 2)}`
        const texts = Array.from(
          { length: 160 },
          (_, n) => `${Array.from({ length: 3 + Math.floor(random() * 12) }, word).join(' ')} own${n} one${n * 7}.`,
        )
        const all = texts.map((text, n) => operation(text, n, random() < 0.5 ? 'note' : 'conversation'))
        const memory = await opened(BY_WORDS)
        const isNew = all.map(() => random() < 0.2)
        await memory.apply(all.filter((_, n) => !isNew[n]))
        await memory.embed()
        await memory.apply(all.filter((_, n) => isNew[n]))
        for (const query of [`${word()} ${word()}`, `${word()} unheard`]) {
          for (const mode of MODES) {
            const most = await found(memory, query, mode, 100)
            for (const limit of [5, 20, 61]) {
              expect(await found(memory, query, mode, limit)).toEqual(most.slice(0, limit))
            }
          }
        }
        pending += (await memory.embeddings()).pending
        await memory.close()
      }),
      { numRuns: RUNS },
    )
    expect(pending).toBeGreaterThan(10 * RUNS)
  })
})

describe('what is said over and over', () => {
  const SAID = 'the nurse visited the hospital on foot this grey morning after a long walk through town'
  const NEAR = 'a medical caregiver came to the clinic'
  const letters = (n: number): string => String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))

  it.each([
    ['in the same words', () => SAID],
    ['with a word more', (n: number) => (n === 0 ? SAID : `${SAID} well${letters(n)}`)],
  ])('leaves its place to what differs, for every limit: %s', async (_, said) => {
    const times = Array.from({ length: 105 }, (_, n) => said(n))
    const places = new Map(times.map((text, n) => [text, text === SAID ? 0.95 : 0.9 - n / 1000]))
    const embed: Embed = {
      ...BY_WORDS,
      embed: async (texts) =>
        texts.map((text) => {
          const cosine = text === 'nurse visited hospital' ? 1 : text === NEAR ? 0.75 : (places.get(text) ?? 0.1)
          return Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine))
        }),
    }
    const memory = await opened(embed)
    const few = Array.from({ length: 15 }, (_, n) => operation(`${letters(n)}x ${letters(n + 30)}y hospital`, 1000 + n))
    await memory.apply([
      ...times.map((text, n) => ({ ...operation(text, n, 'conversation'), kind: 'experience' as const })),
      ...few,
    ])
    await memory.apply([{ ...operation(NEAR, 1), name: 'Near' }])
    await memory.embed()
    const most = await found(memory, 'nurse visited hospital', 'hybrid', 100)
    expect(most.map(([content]) => content).slice(0, 2)).toEqual([SAID, NEAR])
    expect(most).toHaveLength(17)
    for (const limit of [1, 2, 5, 10, 30]) {
      expect(await found(memory, 'nurse visited hospital', 'hybrid', limit)).toEqual(most.slice(0, limit))
    }
    const { sentence } = await memory.whyNot('nurse visited hospital', 'Near', { limit: 5 })
    expect(sentence).toBe('It is among the hits, at place 2.')
    await memory.close()
  })
})

describe('turns that say the same', () => {
  const COSINES: Readonly<Record<string, number>> = { 'hospital visit': 1, 'so be it': 0.9, 'at the clinic': 0.85 }
  const BY_TEXT: Embed = {
    ...BY_WORDS,
    embed: async (texts) =>
      texts.map((text) => Float32Array.of(COSINES[text] ?? 0, Math.sqrt(1 - (COSINES[text] ?? 0) ** 2))),
  }

  it('leave a place by meaning to what differs, also for the lowest limit', async () => {
    const memory = await opened(BY_TEXT)
    // Each in a session of its own, between two turns that are far from the query and pull it down.
    const turns = Array.from({ length: 105 }, (_, n) =>
      [`own${n}`, 'so be it', `other${n}`].map((text, at) => operation(text, 12 * n + at, 'conversation')),
    )
    await memory.apply([...turns.flat(), operation('at the clinic', 3000)])
    await memory.embed()
    const most = await found(memory, 'hospital visit', 'hybrid', 100)
    expect(most.slice(0, 2).map(([content]) => content)).toEqual(['at the clinic', 'so be it'])
    for (const limit of [1, 2, 3]) {
      expect(await found(memory, 'hospital visit', 'hybrid', limit)).toEqual(most.slice(0, limit))
    }
    await memory.close()
  })
})

describe('what is equally near', () => {
  const ALL_ALIKE: Embed = { ...BY_WORDS, embed: async (texts) => texts.map(() => Float32Array.of(1, 0)) }
  const COUNT = 300

  it.each(['oldest first', 'newest first'])('comes newest first, embedded %s', async (order) => {
    const memory = await opened(ALL_ALIKE)
    const all = Array.from({ length: COUNT }, (_, n) => operation(`own${n} one${n * 7} only${n * 13}`, n))
    await memory.apply(order === 'oldest first' ? all : all.reverse())
    await memory.embed()
    const newest = Array.from({ length: 100 }, (_, n) => COUNT - 1 - n)
    for (const mode of ['semantic', 'hybrid'] as const) {
      const hits = await found(memory, 'unheard', mode, 100)
      expect(hits.map(([content]) => content.split(' ')[0])).toEqual(newest.map((n) => `own${n}`))
    }
    await memory.close()
  })
})

describe('why an entry is no hit', () => {
  /** As near to `deploy` as the last word says, behind the point; a name says nothing. */
  const SAID: Embed = {
    ...BY_WORDS,
    embed: async (texts) =>
      texts.map((text) => {
        const cosine = text === 'deploy' ? 1 : Number(`0.${/ c(\d+)$/.exec(text)?.[1] ?? 0}`)
        return Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine))
      }),
  }

  it('is told by what it has: words, nearness, or neither', async () => {
    const memory = await opened(SAID)
    const others = Array.from({ length: 130 }, (_, n) => operation(`own${n} one${n * 7} c9${100 + n}`, n))
    const named = [
      'near c55',
      'far c20',
      `deploy ${Array.from({ length: 60 }, (_, n) => `other${n}`).join(' ')} c10`,
    ].map((content, n) => ({
      ...operation(content, 1000 + n),
      name: ['Near', 'Far', 'Wordy'][n] ?? '',
    }))
    await memory.apply([...others, ...named])
    await memory.embed()
    const told = async (ref: string, mode: SearchMode): Promise<[string, string]> => {
      const { reason, sentence } = await memory.whyNot('deploy', ref, { mode })
      return [reason, sentence]
    }
    const none = 'None of the query\'s words stands in it: "deploy".'
    const advice = 'Search by a word that it has.'
    expect(await told('Near', 'hybrid')).toEqual([
      'limit',
      `${none} By meaning, at least 100 others come before it. ${advice}`,
    ])
    expect(await told('Far', 'hybrid')).toEqual([
      'far',
      `${none} In meaning it is too far from it, at 0.20 where 0.3 is the least. ${advice}`,
    ])
    expect(await told('Near', 'semantic')).toEqual(['limit', 'More than 120 entries are nearer.'])
    await memory.apply(
      Array.from({ length: 130 }, (_, n) => operation(`deploy own${n} two${n * 7} c9${100 + n}`, 2000 + n)),
    )
    await memory.embed()
    expect((await told('Far', 'hybrid'))[0]).toBe('far')
    expect(await told('Far', 'lexical')).toEqual(['no-words', `${none} ${advice}`])
    expect(await told('Wordy', 'hybrid')).toEqual(['limit', 'More than 120 entries say more of it.'])
    await memory.close()
  })
})
