/** Where there is no map: why, and what would make one. */
import type { VNode } from 'preact'
import type { MapAnswer } from '../../../api/contract.ts'
import { Empty } from '../../parts/empty.tsx'
import { wholeText } from '../../parts/number-text.ts'

export interface NoMapProps {
  readonly answer: MapAnswer
  readonly isLoading: boolean
  readonly onAgain: () => void
}

export function NoMap({ answer, isLoading, onAgain }: NoMapProps): VNode {
  return (
    <div class="map is-empty">
      <h1>Map</h1>
      <Empty>
        <p>
          <strong>There is no map of this memory{answer.unsupported === undefined ? ' yet' : ''}.</strong>
        </p>
        <p>{reason(answer)}</p>
        <button type="button" aria-disabled={isLoading} onClick={isLoading ? undefined : onAgain}>
          {isLoading ? 'Looking…' : 'Look again'}
        </button>
      </Empty>
    </div>
  )
}

/** The server says itself what to do where it can't. */
function reason({ unsupported, missing }: MapAnswer): string {
  if (unsupported !== undefined) return unsupported
  if (missing === 0) return 'There is nothing to place. What an agent remembers appears here.'
  return `${wholeText(missing)} entries wait for their vectors, which are made while the server runs.`
}
