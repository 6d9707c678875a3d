/**
 * What is said over a local socket: a greeting by who listens, a question in a line of JSON, and its answer in another. Whoever listens is this user's own
 * program, and whoever asks too; what does not look like it is refused all the same.
 */
import type { Found, SearchOptions } from '../recall/found.ts'
import { isFound } from './is-found.ts'

export interface Question {
  readonly version: string
  /** Of the workspace: see identityOf. */
  readonly workspace: string
  /** What else decides about the hits, in one text: who is set up differently can't answer. */
  readonly setup: string
  readonly agent: string
  readonly query: string
  readonly options: SearchOptions
}

/** `no`: why there is none. */
export type Reply = { readonly found: Found } | { readonly no: string }

/** Said at once by who listens: a server that hangs takes connections too, for its system does. */
export const GREETING = 'keepsake\n'

export const MOST_QUESTION_BYTES = 1_048_576

const TEXTS = ['version', 'workspace', 'setup', 'agent', 'query'] as const

export function questionLine(question: Question): string {
  return `${JSON.stringify({ ...question, options: withoutSignal(question.options) })}\n`
}

/** `undefined`: it is none. Whether its values are allowed is for the search to say. */
export function parseQuestion(line: string): Question | undefined {
  const value = parsed(line)
  if (!isObject(value) || !isObject(value['options'])) return undefined
  if (TEXTS.some((name) => typeof value[name] !== 'string')) return undefined
  return { ...(value as unknown as Question), options: withoutSignal(value['options']) } // its texts were looked at
}

/** The hits; `undefined` where there are none to be had, for whatever reason. */
export function foundIn(line: string): Found | undefined {
  const reply = parsed(line)
  const found = isObject(reply) ? reply['found'] : undefined
  return isFound(found) ? found : undefined
}

/** Which is nothing that can be sent; of the rest, the search takes what it knows. */
function withoutSignal({ signal: _, ...options }: SearchOptions): SearchOptions {
  return options
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
