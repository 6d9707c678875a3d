/** What is asked of condensing and what comes of it. Types, and the empty result. */
import type { KeepsakeError } from '../errors.ts'
import type { Marker } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import type { Change } from '../model/operation.ts'
import { CALL_OPTIONS, type CallOptions, type OptionNames } from '../model/options.ts'
import type { GivenModel } from './given-model.ts'
import type { Review } from './reviews.ts'

export interface CondensingOptions extends CallOptions {
  readonly model: GivenModel
  /** For each call of the model, from when it begins; default: as the memory is set. */
  readonly timeoutMs?: number
  /** From how many bytes of MEMORY.md on the model is asked to compress it; default: as the memory is set. */
  readonly maxMemorySize?: number
  readonly told?: (step: ConsolidationStep) => void
}

export interface ConsolidateOptions extends CondensingOptions {
  /** `new`: the session begins anew. Default `compact`. */
  readonly reason?: 'compact' | 'trim' | 'new'
  /** How many messages may stay; default 0. An exchange stays whole or goes whole. */
  readonly keepMessages?: number
  /** The id of a turn: the conversation is taken to end before it. It and what comes after it stay, and do not count. */
  readonly before?: string
}

export const CONDENSING_OPTIONS: OptionNames<CondensingOptions> = {
  model: true,
  timeoutMs: true,
  maxMemorySize: true,
  told: true,
  ...CALL_OPTIONS,
}

export const CONSOLIDATE_OPTIONS: OptionNames<ConsolidateOptions> = {
  reason: true,
  keepMessages: true,
  before: true,
  ...CONDENSING_OPTIONS,
}

export type ConsolidationStep = 'waiting' | 'asking' | 'writing'

/**
 * What became of MEMORY.md. `merged`: somebody has written it meanwhile, and both are in it. `for review`: it is as it was. Of several
 * pieces some may have rewritten it though another waits for review: then there is a `review` beside it.
 */
export type MemoryOutcome = 'updated' | 'merged' | 'unchanged' | 'for review'

export interface Consolidated {
  readonly session: string
  readonly outcome: 'condensed' | 'fell back' | 'nothing'
  readonly why?: 'nothing to condense' | 'already condensed'
  /** Of what fell back. */
  readonly failure?: KeepsakeError
  readonly history: readonly Entry[]
  readonly archives: readonly Entry[]
  readonly marker?: Marker
  readonly memory: MemoryOutcome
  readonly review?: Review
  readonly changes: readonly Change[]
  readonly warnings: readonly string[]
}

export function nothingDone(session: string): Consolidated {
  return { session, outcome: 'nothing', history: [], archives: [], memory: 'unchanged', changes: [], warnings: [] }
}
