/** What a score is made of: a bar and a line of words that can be opened to a table, which has it all in numbers. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Why } from '../../../recall/found.ts'
import { reasonsOf } from './reasons.ts'
import { ReasonsBar } from './reasons-bar.tsx'
import { ReasonsTable } from './reasons-table.tsx'

/** More are only counted. */
const MOST_NAMED = 8

export function ReasonsDetails({ why }: { readonly why: Why }): VNode {
  const [isOpen, setIsOpen] = useState(false)
  const reasons = reasonsOf(why)
  const named = reasons.filter(({ group }) => group !== 'factor')
  return (
    <details class="reasons" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <span class="unseen">Why: </span>
        <ReasonsBar reasons={reasons} />
        <span class="reason-names">
          {named.slice(0, MOST_NAMED).map(({ group, label }, index) => (
            <span key={index} class={`reason-name is-${group}`}>
              <bdi>{label}</bdi>
            </span>
          ))}
          {named.length > MOST_NAMED && <span class="reason-name">and {named.length - MOST_NAMED} more</span>}
        </span>
      </summary>
      {/* Twenty tables that nobody opened would take longer to draw than the hits. */}
      {isOpen && <ReasonsTable why={why} reasons={reasons} />}
    </details>
  )
}
