/** Who wrote an entry, in words. */
import type { Origin } from '../../../model/entry.ts'

const BY: Readonly<Record<Origin['by'], string>> = {
  agent: 'agent',
  hand: 'hand',
  consolidation: 'condensing',
  'raw-fallback': 'condensing that failed: the messages as they were',
  import: 'import',
  undo: 'undo',
}

export function originText({ by, agent, session }: Origin): string {
  const who = agent === undefined ? BY[by] : by === 'agent' ? `agent ${agent}` : `${BY[by]} (agent ${agent})`
  return session === undefined ? who : `${who}, session ${session}`
}
