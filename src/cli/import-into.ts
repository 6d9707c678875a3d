/**
 * What was read of another program, put into a memory: looked at beside what is there, settled, and written as one change. Who
 * only wants to know is told by the same steps.
 */
import { isKeepsakeError } from '../errors.ts'
import { type CheckedCandidate, checkCandidates, type ImportSource } from '../import/checked.ts'
import { Here, type MemoryPast, textsNeeded } from '../import/here.ts'
import type { ImportPlan, ImportProblem } from '../import/plan.ts'
import { type Settled, settle } from '../import/settle.ts'
import type { Memory } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import type { Change } from '../model/operation.ts'
import type { Recorded } from '../ports/store.ts'

export interface Imported {
  readonly settled: Settled
  readonly problems: readonly ImportProblem[]
  /** Missing where there was nothing to do, and of a dry run. */
  readonly change?: Change
  readonly warnings: readonly string[]
}

/** Others may take a name between the look and the write; more often is not chance. */
const MOST_TRIES = 3

export async function importInto(
  memory: Memory,
  plan: ImportPlan,
  source: ImportSource,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Imported> {
  const { checked, problems: refused } = checkCandidates(plan.candidates, source)
  const problems = [...plan.problems, ...refused]
  for (let tries = 1; ; tries++) {
    const settled = settle(checked, await lookAround(memory, checked), source)
    const { operations } = settled
    const expect = memory.store.capabilities.expect === true ? settled.expect : {}
    if (dryRun || operations.length === 0) return { settled, problems, warnings: [] }
    try {
      const origin = { by: 'import', agent: memory.agent } as const
      const { change, warnings } = await memory.apply(operations, { expect, origin })
      return { settled, problems, warnings, ...(change ? { change } : {}) }
    } catch (error) {
      if (!isRace(error) || tries === MOST_TRIES) throw error
    }
  }
}

async function lookAround({ store, agent }: Memory, candidates: readonly CheckedCandidate[]): Promise<Here> {
  const heads = await store.heads({ scopes: [agent] })
  const ids = textsNeeded(candidates, heads)
  const entries: Entry[] = []
  for await (const entry of store.scan({ scopes: [agent], ids })) entries.push(entry)
  const memory = entries.find(({ kind }) => kind === 'memory')
  const isAsked =
    memory !== undefined && store.capabilities.history === true && candidates.some(({ kind }) => kind === 'memory')
  const past = isAsked
    ? pastOf(memory, candidates, await store.changes({ entries: [memory.id] }))
    : { texts: new Set<string>(), isOfSource: false }
  return new Here(heads, entries, past)
}

/** `changes`: all changes of the memory, newest first. */
function pastOf(memory: Entry, candidates: readonly CheckedCandidate[], changes: readonly Recorded[]): MemoryPast {
  const ids = new Set(candidates.map(({ id }) => id))
  // What was imported into it and rewritten since is not to come back as a note.
  const texts = new Set([memory.content])
  let isOfSource = false
  for (const { change, touched } of changes.toReversed()) {
    const page = touched.find(({ id }) => id === memory.id)
    if (!page?.after) continue
    texts.add(page.after.content)
    // An undo brings back what was there, and with it whose it was.
    const isFilled = (page.before?.content ?? '').trim() === '' && change.origin.by !== 'undo'
    if (isFilled) isOfSource = touched.some(({ id }) => ids.has(id))
  }
  return { texts, isOfSource }
}

function isRace(error: unknown): boolean {
  return isKeepsakeError(error) && ['CONFLICT', 'NAME_TAKEN', 'NOT_FOUND'].includes(error.code)
}
