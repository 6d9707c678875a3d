/** Which layer is what, from the top one down, and how many it had that day. */
import type { RefObject, VNode } from 'preact'
import { wholeText } from '../../parts/number-text.ts'
import type { Layer } from './stack.ts'

export interface GrowthLegendProps {
  readonly listRef: RefObject<HTMLTableElement | null>
  readonly layers: readonly Layer[]
  readonly isByKind: boolean
  readonly day: number
  readonly title: string
}

/** Agents have no colours of their own: so many are told apart, then they begin anew. */
const HUES = 6

export function GrowthLegend({ listRef, layers, isByKind, day, title }: GrowthLegendProps): VNode {
  return (
    <table class="growth-legend" ref={listRef}>
      <caption>{title}</caption>
      <tbody>
        {layers.map(({ label, totals }, index) => (
          <tr key={label}>
            <th scope="row">
              <span
                class={`growth-swatch is-${index % 3} ${isByKind ? `kind-${label}` : `hue-${index % HUES}`}`}
                data-swatch
              />
              <bdi>{label}</bdi>
            </th>
            <td>{wholeText(totals[day] ?? 0)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">all</th>
          <td>{wholeText(layers[0]?.tops[day] ?? 0)}</td>
        </tr>
      </tbody>
    </table>
  )
}
