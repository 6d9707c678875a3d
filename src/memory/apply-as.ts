/** The one way from an agent to its store's `apply`: what comes back tells nothing of another agent's. */
import type { Batch } from '../model/operation.ts'
import type { Applied, ApplyOptions, Store } from '../ports/store.ts'

export async function applyAs(store: Store, agent: string, batch: Batch, options: ApplyOptions): Promise<Applied> {
  const applied = await store.apply(batch, options)
  return { ...applied, warnings: applied.warnings.filter((warning) => isFor(agent, warning)) }
}

/** Writers of one process share a turn, and what is said of it may be about another agent's file. */
function isFor(agent: string, warning: string): boolean {
  return !warning.startsWith('agents/') || warning.startsWith(`agents/${agent}/`)
}
