/** The hours of a day as a line: entries as dots, sessions as spans. For the eyes only; the list below it says the same. */
import type { VNode } from 'preact'
import type { TimelineItem } from '../../../api/contract.ts'
import { localTime } from '../../../model/time.ts'
import { workspace } from '../../state.ts'

export interface DayStripProps {
  readonly day: string
  readonly items: readonly TimelineItem[]
}

const HOURS = ['00', '06', '12', '18']

export function DayStrip({ day, items }: DayStripProps): VNode {
  const zone = workspace.value?.zone ?? 'UTC'
  return (
    <div class="day-strip" aria-hidden="true">
      {HOURS.map((hour) => (
        <span key={hour} class="strip-hour" style={{ left: `${share(`${hour}:00`)}%` }}>
          {hour}
        </span>
      ))}
      {items.map((item) => {
        const end = share(item.time)
        if (item.type === 'entry') {
          return <span key={item.entry.id} class={`strip-entry kind-${item.entry.kind}`} style={{ left: `${end}%` }} />
        }
        const start = startWithin(day, item.session.createdAt, zone) ?? end
        return (
          <span
            key={`session ${item.session.key}`}
            class="strip-session"
            style={{ left: `${start}%`, width: `${Math.max(0, end - start)}%` }}
          />
        )
      })}
    </div>
  )
}

/** What began on a day before began, as this day has it, at midnight. */
function startWithin(day: string, createdAt: string | null, zone: string): number | undefined {
  if (createdAt === null) return undefined
  const start = localTime(createdAt, zone)
  return start.day < day ? 0 : share(start.time)
}

/** Of the day, in hundredths. */
function share(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return ((hours * 60 + minutes) / (24 * 60)) * 100
}
