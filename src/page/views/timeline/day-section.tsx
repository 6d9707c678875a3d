/** One day: its hours at a glance, then what happened, in the order it happened. */
import type { VNode } from 'preact'
import type { TimelineItem } from '../../../api/contract.ts'
import { dayName } from './day-names.ts'
import { DayStrip } from './day-strip.tsx'
import { EntryItem } from './entry-item.tsx'
import { SessionItem } from './session-item.tsx'

export interface DaySectionProps {
  readonly day: string
  /** The earliest first. */
  readonly items: readonly TimelineItem[]
  /** How many more there are of it, before these. */
  readonly unread: number
}

export function DaySection({ day, items, unread }: DaySectionProps): VNode {
  return (
    <section class="day" aria-labelledby={`day-${day}`}>
      <h2 id={`day-${day}`}>
        <time dateTime={day}>{dayName(day)}</time>
      </h2>
      <DayStrip day={day} items={items} />
      {unread > 0 && <p class="hint">{unread} earlier of this day not shown yet</p>}
      <ol class="day-items">
        {items.map((item) =>
          item.type === 'entry' ? (
            <EntryItem key={item.entry.id} time={item.time} entry={item.entry} />
          ) : (
            <SessionItem key={`session ${item.session.key}`} time={item.time} session={item.session} />
          ),
        )}
      </ol>
    </section>
  )
}
