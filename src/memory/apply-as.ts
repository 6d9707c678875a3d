/** The one way from an agent to its store's `apply`: what comes back tells nothing of another agent's. */
import type { Batch } from '../model/operation.ts'
import type { Applied, ApplyOptions, Store } from '../ports/store.ts'

export async function applyAs(store: Store, agent: string, batch: Batch, options: ApplyOptions): Promise<Applied> {
  const applied = await store.apply(batch, options)
  return { ...applied, warnings: applied.warnings.filter((warning) => isFor(agent, warning)) }
}

/**
 * Writers of one process share a turn, and what is said of it may be about another agent's file. A folder may be spelled in
 * other case than the id it stands for.
 */
function isFor(agent: string, warning: string): boolean {
  const [top, folder = ''] = warning.split('/', 2)
  return top !== 'agents' || folder.toLowerCase() === agent
}
