/** How many entries of each kind there are where the left pane leads. Pure. */
import type { KindCounts, Workspace } from '../../../api/contract.ts'
import { KIND_NAMES, type Kind } from '../../../model/kinds.ts'
import type { BrowseQuery } from './browse-query.ts'

export function countsOf(workspace: Workspace, agent: string, scope: BrowseQuery['scope']): KindCounts {
  const own = workspace.agents.find((one) => one.agent === agent)?.kinds ?? {}
  if (scope === 'agent') return own
  if (scope === 'world') return workspace.world
  const both = KIND_NAMES.map((kind): [Kind, number] => [kind, (own[kind] ?? 0) + (workspace.world[kind] ?? 0)])
  return Object.fromEntries(both)
}

export function sumOf(counts: KindCounts): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0)
}
