/**
 * Whether what came over a socket is what a search answers, as deep as anybody looks into it: who gets anything else searches by
 * itself, and does not stumble over it later.
 */
import { KINDS } from '../model/kinds.ts'
import type { Found } from '../recall/found.ts'
import { SEARCH_MODES } from '../recall/search-modes.ts'

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const number: Check = (value) => typeof value === 'number'
const kind: Check = (value) => typeof value === 'string' && Object.hasOwn(KINDS, value)
const mode: Check = (value) => SEARCH_MODES.some((one) => one === value)
const texts = listOf(text)

const ENTRY = shape({
  ...{
    id: text,
    seq: number,
    revision: text,
    scope: text,
    kind,
    name: orNull(text),
    key: optional(text),
    aliases: texts,
  },
  ...{ description: text, metadata: shape({}), createdAt: text, updatedAt: text, expiresAt: orNull(text) },
  ...{ origin: shape({ by: text }), path: optional(text), content: text },
})

const WHY = shape({
  exact: optional(text),
  words: listOf(shape({ text, term: text, counts: shape({}), documents: number, score: number })),
  supports: listOf(shape({ by: text, score: number })),
  boosts: listOf(shape({ by: text, factor: number })),
  ...{ best: number, byWords: optional(number), score: number },
  meaning: optional(shape({ cosine: optional(number), score: number })),
})

const UNDERSTOOD = { words: texts, phrases: texts, prefixes: texts, not: texts, ignored: texts, cut: optional(number) }

const FOUND = shape({
  hits: listOf(
    shape({ entry: ENTRY, score: number, highlights: listOf(listOf(number)), alike: texts, why: optional(WHY) }),
  ),
  searched: shape({
    ...{ mode, query: text, understood: shape(UNDERSTOOD), scopes: texts, kinds: listOf(kind) },
    ...{ since: optional(text), until: optional(text), where: optional(listOf(shape({ key: text, op: text }))) },
    ...{ entries: number, eligible: optional(number), matched: number, omitted: number, wordsOnly: optional(text) },
    vectors: optional(shape({ model: text, pending: number, refused: optional(number) })),
    nearest: listOf(shape({ text, nearest: texts })),
  }),
  warnings: texts,
})

export function isFound(value: unknown): value is Found {
  return FOUND(value)
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

/** What else it has is nobody's concern. */
function shape(checks: Readonly<Record<string, Check>>): Check {
  const all = Object.entries(checks)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    return all.every(([name, check]) => check((value as Readonly<Record<string, unknown>>)[name])) // an object has names
  }
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

function orNull(check: Check): Check {
  return (value) => value === null || check(value)
}
