/** What `recall` without a query costs a model: no more than the budget, whatever the memory is made of. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../model/entry.ts'
import type { Kind } from '../model/kinds.ts'
import { tokensOf } from './budget.ts'
import { type ContextParts, contextLoad } from './context-load.ts'
import { notesOf } from './notes.ts'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.parse('2020-01-01T08:00:00.000Z')

const NOTHING: ContextParts = {
  topics: [],
  memory: undefined,
  experiences: [],
  days: 3660,
  lastDay: undefined,
  others: 0,
  zone: 'UTC',
  budgetTokens: 8000,
  warnings: [],
}

function entry(kind: Kind, seq: number, content: string, afterMs = seq * DAY_MS): Entry {
  const at = new Date(FIRST_DAY + afterMs).toISOString()
  const scope = kind === 'topic' ? 'world' : 'main'
  const name = kind === 'topic' ? `topic ${seq}` : null
  const told = { id: `${kind}-${seq}`, seq, scope, kind, name, content, createdAt: at, updatedAt: at }
  return { ...told, aliases: [], description: '', metadata: {}, expiresAt: null, revision: '', origin: { by: 'hand' } }
}

function many(count: number, make: (n: number) => Entry): Entry[] {
  return Array.from({ length: count }, (_, n) => make(n))
}

/** A note says at the end what is missing; it is not part of the budget. */
const NOTE_TOKENS = tokensOf(`\n\n---\n\n${notesOf(100_000, []).join('')}`)

describe('the budget', () => {
  it.each([
    ['days of one short entry each', { experiences: many(3000, (n) => entry('experience', n, 'ok')) }],
    ['short topics', { topics: many(3000, (n) => entry('topic', n, 'ok')) }],
    [
      'all of it',
      {
        topics: many(20, (n) => entry('topic', n, 'ok')),
        memory: entry('memory', 0, 'mine'),
        experiences: many(3000, (n) => entry('experience', n, 'ok')),
      },
    ],
  ])('is kept with all headings, and used: %s', (_, parts) => {
    for (const budgetTokens of [100, 1000, 8000]) {
      const { text, omitted } = contextLoad({ ...NOTHING, ...parts, budgetTokens })
      expect(omitted).toBeGreaterThan(0)
      expect(tokensOf(text)).toBeLessThanOrEqual(budgetTokens + NOTE_TOKENS)
      expect(tokensOf(text)).toBeGreaterThan(budgetTokens * 0.8)
    }
  })

  it('is kept by texts of any sort, and what just fits is whole', () => {
    const content = fc.array(fc.constantFrom('word ', 'x', '\n', '  ', '記憶', '。', '---', '1'), { minLength: 1 })
    const sorts = fc.constantFrom<Kind>('topic', 'experience', 'memory')
    const written = fc.array(fc.tuple(sorts, content, fc.integer({ min: 0, max: 4 })), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(written, fc.integer({ min: 30, max: 400 }), (texts, budgetTokens) => {
        const entries = texts.map(([kind, pieces, day], n) => entry(kind, n, `x${pieces.join('')}`, day * DAY_MS + n))
        const of = (kind: Kind): Entry[] => entries.filter((one) => one.kind === kind)
        const parts = { ...NOTHING, topics: of('topic'), memory: of('memory')[0], experiences: of('experience') }
        const { text } = contextLoad({ ...parts, budgetTokens })
        expect(tokensOf(text)).toBeLessThanOrEqual(budgetTokens + NOTE_TOKENS)
        const whole = contextLoad({ ...parts, budgetTokens: 100_000 })
        expect(whole.omitted).toBe(0)
        // Each text is rounded up by itself.
        const enough = tokensOf(whole.text) + entries.length
        expect(contextLoad({ ...parts, budgetTokens: enough }).text).toBe(whole.text)
      }),
      { numRuns: 200 },
    )
  })

  it('is not outgrown by what could not be read', () => {
    const warnings = Array.from({ length: 200 }, (_, n) => `agents/main/entries/note-${n}.md: it is not UTF-8 text`)
    const memory = entry('memory', 0, 'word '.repeat(5000))
    const { text } = contextLoad({ ...NOTHING, memory, budgetTokens: 100, warnings })
    expect(text).toContain(`${warnings[9]}; and 190 more.)`)
    expect(text).not.toContain(warnings[10])
    expect(tokensOf(text)).toBeLessThan(100 + 300)
    const long = contextLoad({
      ...NOTHING,
      memory,
      budgetTokens: 100,
      warnings: warnings.map((one) => one.repeat(100)),
    })
    expect(tokensOf(long.text)).toBeLessThan(100 + 1500)
  })
})

it('reads each entry of a day a few times, however many there are', () => {
  const count = 2000
  let reads = 0
  const experiences = many(count, (n) => ({
    ...entry('experience', n, 'ok', n),
    get content() {
      reads++
      return 'ok'
    },
  }))
  const { omitted } = contextLoad({ ...NOTHING, experiences, budgetTokens: 10_000_000 })
  expect(omitted).toBe(0)
  expect(reads).toBeLessThan(10 * count)
})
