/** Who or what wrote something, in words; the session is told apart from it. Pure. */
import type { Origin } from '../../model/entry.ts'

const WORDS: Readonly<Record<Origin['by'], string>> = {
  agent: 'agent',
  user: 'user',
  hand: 'hand',
  consolidation: 'consolidation',
  'raw-fallback': 'consolidation that failed: kept as it was said',
  import: 'import',
  undo: 'undo',
}

/** `agent scout`, `hand`, `consolidation (agent scout)` */
export function originText({ by, agent }: Origin): string {
  if (agent === undefined || by === 'hand') return WORDS[by]
  return by === 'agent' ? `agent ${agent}` : `${WORDS[by]} (agent ${agent})`
}
