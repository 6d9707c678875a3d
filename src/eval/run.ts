/**
 * Runs the queries of a set through the recall that users get: each scope becomes a memory of its own, each doc an entry, and
 * each query a search. Deliberately absent: how a memory is opened and what time it is; both are handed in.
 */
import type { Operation } from '../model/operation.ts'
import type { Clock } from '../ports/clock.ts'
import type { Found, SearchMode, SearchOptions } from '../recall/found.ts'
import type { EvalScope, EvalSet } from './dataset.ts'
import { docEntries } from './doc-entries.ts'
import { atSessionLevel, type Level } from './level.ts'
import { DEPTH, type Scores, scoresOf } from './metrics.ts'

/** What is needed of a memory; a Memory has it all. */
export interface EvalMemory {
  apply(operations: readonly Operation[]): Promise<unknown>
  search(query: string, options: SearchOptions): Promise<Found>
  /** Asked before a search by meaning; what only knows words goes without. */
  embed?(options: { readonly onProgress: (done: number, total: number) => void }): Promise<unknown>
  close(): Promise<void>
}

export interface QueryRun {
  readonly scope: string
  readonly id: string
  readonly category?: string
  readonly scores: Scores
  readonly ms: number
}

export interface Run {
  readonly name: string
  readonly level: Level
  readonly mode: SearchMode
  readonly docs: number
  readonly queries: readonly QueryRun[]
  /** Queries without a relevant doc, about which nothing can be said. */
  readonly leftOut: number
  /** Relevant docs that the set does not have. */
  readonly missing: number
}

export interface RunOptions {
  readonly level: Level
  readonly mode: SearchMode
  /** An empty memory of the agent `main`; its clock stands at `nowMs`, shortly after the last doc was said. */
  readonly openMemory: (nowMs: number) => Promise<EvalMemory>
  readonly clock: Clock
  /** Milliseconds for measuring how long a search takes. */
  readonly timer: () => number
  readonly onProgress?: (doing: 'embedding' | 'searching', done: number, total: number) => void
}

const AGENT = 'main'
const BATCH = 1000
const AFTER_THE_LAST_MS = 60_000

export async function runSet(set: EvalSet, options: RunOptions): Promise<Run> {
  const { level, mode, onProgress } = options
  const { name, scopes } = level === 'session' ? atSessionLevel(set) : set
  const total = scopes.reduce((sum, { queries }) => sum + queries.length, 0)
  const queries: QueryRun[] = []
  let done = 0
  for (const scope of scopes) {
    await runScope(scope, options, (run) => {
      queries.push(run)
      onProgress?.('searching', ++done, total)
    })
  }
  const docs = scopes.reduce((sum, scope) => sum + scope.docs.length, 0)
  return { name, level, mode, docs, queries, leftOut: total - queries.length, missing: missingDocs(scopes) }
}

async function runScope(scope: EvalScope, options: RunOptions, ran: (run: QueryRun) => void): Promise<void> {
  const { openMemory, clock, timer, mode, onProgress } = options
  const answerable = scope.queries.filter(({ gains }) => gains.size > 0)
  const [first] = answerable
  if (!first) return
  const { operations, docs, lastMs } = docEntries(scope.docs, AGENT, clock() - AFTER_THE_LAST_MS)
  const memory = await openMemory(lastMs + AFTER_THE_LAST_MS)
  try {
    for (let from = 0; from < operations.length; from += BATCH) await memory.apply(operations.slice(from, from + BATCH))
    if (mode !== 'lexical') {
      await memory.embed?.({ onProgress: (done, total) => onProgress?.('embedding', done, total) })
    }
    const search = (text: string): Promise<Found> => memory.search(text, { limit: DEPTH, mode })
    // The first search makes the index, which is not what a search takes.
    await search(first.text)
    for (const { id, text, gains, category } of answerable) {
      const begin = timer()
      const { hits } = await search(text)
      const ms = timer() - begin
      const ranked = hits.map(({ entry }) => docs.get(entry.id) ?? '')
      ran({ scope: scope.id, id, ...(category === undefined ? {} : { category }), scores: scoresOf(ranked, gains), ms })
    }
  } finally {
    await memory.close()
  }
}

function missingDocs(scopes: readonly EvalScope[]): number {
  return scopes.reduce((sum, { docs, queries }) => {
    const ids = new Set(docs.map(({ id }) => id))
    const named = queries.flatMap(({ gains }) => [...gains.keys()])
    return sum + named.filter((id) => !ids.has(id)).length
  }, 0)
}
