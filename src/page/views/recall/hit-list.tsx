/** The hits, the best first. */
import type { VNode } from 'preact'
import type { Hit } from '../../../recall/found.ts'
import { HitItem } from './hit-item.tsx'

export interface HitListProps {
  readonly hits: readonly Hit[]
  /** The moment in whose memory they were found; empty: now. */
  readonly asOf: string
}

export function HitList({ hits, asOf }: HitListProps): VNode {
  return (
    <ol class="hits">
      {hits.map((hit) => (
        <HitItem key={hit.entry.id} hit={hit} asOf={asOf} />
      ))}
    </ol>
  )
}
