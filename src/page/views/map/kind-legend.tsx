/** Which colour is which kind, how many there are, and which of them are shown. */
import type { VNode } from 'preact'
import type { Kind } from '../../../model/kinds.ts'
import { KindBadge } from '../../parts/kind-badge.tsx'
import { wholeText } from '../../parts/number-text.ts'

export interface KindLegendProps {
  readonly counts: ReadonlyMap<Kind, number>
  readonly hidden: ReadonlySet<Kind>
  readonly onHidden: (hidden: ReadonlySet<Kind>) => void
}

export function KindLegend({ counts, hidden, onHidden }: KindLegendProps): VNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in.
    <div class="map-legend" role="group" aria-label="Kinds that are shown">
      {[...counts].map(([kind, count]) => (
        <button
          key={kind}
          type="button"
          aria-pressed={!hidden.has(kind)}
          onClick={() => onHidden(toggled(hidden, kind))}
        >
          <KindBadge kind={kind} /> <span class="map-count">{wholeText(count)}</span>
        </button>
      ))}
      {hidden.size > 0 && (
        <button type="button" class="is-quiet" onClick={() => onHidden(new Set())}>
          Show all
        </button>
      )}
    </div>
  )
}

function toggled(kinds: ReadonlySet<Kind>, kind: Kind): ReadonlySet<Kind> {
  const next = new Set(kinds)
  if (!next.delete(kind)) next.add(kind)
  return next
}
