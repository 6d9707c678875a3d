/** Day after day, the newest first, below an axis to jump by. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { localTime } from '../../../model/time.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { href, route } from '../../route.ts'
import { agent, workspace } from '../../state.ts'
import { dayBefore, daysUntil } from './axis-days.ts'
import { DayAxis } from './day-axis.tsx'
import { dayName } from './day-names.ts'
import { DaySection } from './day-section.tsx'
import { byDay } from './item-days.ts'
import { useTimeline } from './use-timeline.ts'

export function Days(): VNode {
  const { before, agent: asked } = route.value.query
  const place = `${agent.value} ${before}`
  const [read, setRead] = useState({ place, pages: 1 })
  // Another place or another memory begins with its first page.
  const pages = read.place === place ? read.pages : 1
  const { value, error, isLoading, reload } = useTimeline(before, pages)
  if (!value) return error ? <Failure error={error} /> : <p class="loading">Reading the days…</p>
  const { items, days, hasMore } = value
  const past = daysUntil(localTime(new Date().toISOString(), workspace.value?.zone ?? 'UTC').day, days)
  const counts = new Map(days.map((day) => [day.day, day.entries + day.sessions]))
  return (
    <>
      {past.length > 0 && (
        <div>
          <DayAxis days={past} before={before} />
          <p class="hint">Entries stand on the line, sessions hang from it. Choose a day to begin there.</p>
        </div>
      )}
      {before !== undefined && (
        <p class="timeline-jumped">
          {beginning(before)} <NavLink to={href('timeline', { agent: asked })}>Back to now</NavLink>
        </p>
      )}
      {error && (
        <Failure error={error}>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </Failure>
      )}
      {items.length === 0 && <Nothing hasJumped={before !== undefined} />}
      {byDay(items).map(({ day, items: own }) => (
        <DaySection key={day} day={day} items={own} unread={hasMore ? (counts.get(day) ?? 0) - own.length : 0} />
      ))}
      {hasMore && (
        <div class="timeline-more">
          {/* Not `disabled`: that would take the focus away from it. */}
          <button
            type="button"
            aria-disabled={isLoading}
            onClick={isLoading ? undefined : () => setRead({ place, pages: pages + 1 })}
          >
            {isLoading ? 'Reading…' : 'Show earlier days'}
          </button>
        </div>
      )}
      <p class="unseen" role="status">
        {isLoading || !items[0] ? '' : `${items.length} shown, from ${dayName(items[0].day)} back`}
      </p>
    </>
  )
}

/** The address may have been written by hand. */
function beginning(before: string): string {
  const day = dayBefore(before, workspace.value?.zone ?? 'UTC')
  return day === undefined ? 'Not from now on.' : `From ${dayName(day)} back.`
}

function Nothing({ hasJumped }: { readonly hasJumped: boolean }): VNode {
  return (
    <Empty>
      {hasJumped ? (
        <p>Nothing happened before that.</p>
      ) : (
        <>
          <p>
            <strong>Nothing has happened yet.</strong>
          </p>
          <p>What an agent remembers without a name, its history, and its sessions appear here, each on its day.</p>
        </>
      )}
    </Empty>
  )
}
