/** The growth as numbers, for those who can't see the chart or want to copy them; in the document only once it is opened. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { wholeText } from '../../parts/number-text.ts'
import type { Layer } from './stack.ts'

export interface GrowthTableProps {
  readonly days: readonly string[]
  readonly layers: readonly Layer[]
}

export function GrowthTable({ days, layers }: GrowthTableProps): VNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="growth-numbers" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has only keys scrolls it by them.
        <section class="growth-scroll" tabIndex={0} aria-label="Growth as a table">
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {layers.map(({ label }) => (
                  <th key={label} scope="col">
                    <bdi>{label}</bdi>
                  </th>
                ))}
                <th scope="col">all</th>
              </tr>
            </thead>
            <tbody>
              {days
                .map((day, index) => (
                  <tr key={day}>
                    <th scope="row">{day}</th>
                    {layers.map(({ label, totals }) => (
                      <td key={label}>{wholeText(totals[index] ?? 0)}</td>
                    ))}
                    <td>{wholeText(layers[0]?.tops[index] ?? 0)}</td>
                  </tr>
                ))
                .reverse()}
            </tbody>
          </table>
        </section>
      )}
    </details>
  )
}
