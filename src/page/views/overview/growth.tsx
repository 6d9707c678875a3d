/** How the memory grew, day by day: a chart, a legend that tells the numbers of the day that is pointed at, and all of it as a table. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Overview } from '../../../api/contract.ts'
import { wholeText } from '../../parts/number-text.ts'
import { dayText } from './day-text.ts'
import { GrowthChart } from './growth-chart.tsx'
import { GrowthLegend } from './growth-legend.tsx'
import { GrowthTable } from './growth-table.tsx'
import { Panel } from './panel.tsx'
import { layersOf } from './stack.ts'
import { useSwatchColours } from './use-swatch-colours.ts'

const WAYS = [
  { by: 'byKind', title: 'By kind' },
  { by: 'byAgent', title: 'By agent' },
] as const

export function Growth({ growth }: { readonly growth: Overview['growth'] }): VNode {
  const [by, setBy] = useState<(typeof WAYS)[number]['by']>('byKind')
  const [pointed, setPointed] = useState<number | undefined>(undefined)
  const layers = layersOf(growth[by])
  const [legend, colours] = useSwatchColours(layers.map(({ label }) => label).join('\n'))
  const { days } = growth
  const day = Math.min(pointed ?? days.length - 1, days.length - 1)
  const total = layers[0]?.tops[day] ?? 0
  if (layers.length === 0) {
    return (
      <Panel title="Growth" isWide>
        <p class="quiet">There is nothing yet. What an agent remembers is counted here, day by day.</p>
      </Panel>
    )
  }
  return (
    <Panel title="Growth" isWide beside={<Ways by={by} onBy={setBy} />}>
      <div class={days.length > 1 ? 'growth' : 'growth is-one-day'}>
        {days.length > 1 && (
          <GrowthChart
            days={days}
            layers={layers}
            colours={colours}
            day={pointed}
            onDay={setPointed}
            text={`${dayText(days[day] ?? '')}: ${wholeText(total)} entries`}
          />
        )}
        <GrowthLegend
          listRef={legend}
          layers={layers}
          isByKind={by === 'byKind'}
          day={day}
          title={dayText(days[day] ?? '')}
        />
      </div>
      <GrowthTable days={days} layers={layers} />
    </Panel>
  )
}

interface WaysProps {
  readonly by: string
  readonly onBy: (by: (typeof WAYS)[number]['by']) => void
}

function Ways({ by, onBy }: WaysProps): VNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in.
    <div class="ways" role="group" aria-label="Growth">
      {WAYS.map((way) => (
        <button key={way.by} type="button" aria-pressed={way.by === by} onClick={() => onBy(way.by)}>
          {way.title}
        </button>
      ))}
    </div>
  )
}
