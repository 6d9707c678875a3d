/**
 * The days on an axis, each with bars for how much there is of it: entries above the line, sessions below. A day leads to itself. It is
 * one stop for Tab, and the arrow keys go from day to day.
 */
import type { VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Timeline } from '../../../api/contract.ts'
import { addDays, startOfDay } from '../../../model/time.ts'
import { NavLink } from '../../parts/nav-link.tsx'
import { href, route } from '../../route.ts'
import { workspace } from '../../state.ts'
import { type AxisDay, axisDays, dayBefore, stepFrom } from './axis-days.ts'
import { dayName, monthName } from './day-names.ts'

export interface DayAxisProps {
  readonly days: Timeline['days']
  /** Where the days below begin; `undefined`: now. */
  readonly before: string | undefined
}

export function DayAxis({ days, before }: DayAxisProps): VNode {
  const box = useRef<HTMLElement>(null)
  const zone = workspace.value?.zone ?? 'UTC'
  const all = axisDays(days)
  const chosen = before === undefined ? undefined : dayBefore(before, zone)
  const last = all.at(-1)?.day ?? ''
  const [stop, setStop] = useState(chosen ?? last)
  const tabStop = all.some((one) => one.day === stop && hasAny(one)) ? stop : last
  const most = { entries: mostOf(all, 'entries'), sessions: mostOf(all, 'sessions') }

  useLayoutEffect(() => {
    const element = box.current
    if (element) scrollTo(element, dayElement(element, chosen ?? last))
  }, [])

  const onKeyDown = (event: KeyboardEvent): void => {
    const to = {
      ArrowLeft: stepFrom(all, tabStop, -1),
      ArrowRight: stepFrom(all, tabStop, 1),
      Home: stepFrom(all, '', 1),
      End: last,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    setStop(to)
    dayElement(box.current, to)?.querySelector('a')?.focus()
  }

  return (
    <nav class="day-axis" aria-label="Days" ref={box}>
      <ol onKeyDown={onKeyDown}>
        {all.map((one, index) => (
          <li key={one.day} data-day={one.day}>
            {hasAny(one) && (
              <NavLink
                to={href('timeline', {
                  agent: route.value.query['agent'],
                  before: startOfDay(addDays(one.day, 1), zone),
                })}
                aria-label={spoken(one)}
                title={spoken(one)}
                aria-current={one.day === chosen ? 'date' : undefined}
                tabIndex={one.day === tabStop ? 0 : -1}
                onFocus={() => setStop(one.day)}
              >
                <span class="axis-entries" style={{ height: barHeight(one.entries, most.entries) }} />
                <span class="axis-sessions" style={{ height: barHeight(one.sessions, most.sessions) }} />
              </NavLink>
            )}
            {(index === 0 || one.day.endsWith('-01')) && <span class="axis-month">{monthName(one.day)}</span>}
          </li>
        ))}
      </ol>
    </nav>
  )
}

function hasAny({ entries, sessions }: AxisDay): boolean {
  return entries + sessions > 0
}

function mostOf(days: readonly AxisDay[], what: 'entries' | 'sessions'): number {
  return days.reduce((most, day) => Math.max(most, day[what]), 1)
}

/** One of many is still to be seen. */
function barHeight(count: number, most: number): string {
  return count === 0 ? '0' : `${Math.max(8, (count / most) * 100)}%`
}

function spoken({ day, entries, sessions }: AxisDay): string {
  const parts = [
    ...(entries > 0 ? [`${entries} ${entries === 1 ? 'entry' : 'entries'}`] : []),
    ...(sessions > 0 ? [`${sessions} ${sessions === 1 ? 'session' : 'sessions'}`] : []),
  ]
  return `${dayName(day)}: ${parts.join(', ')}`
}

function dayElement(axis: HTMLElement | null, day: string): HTMLElement | null {
  return axis?.querySelector<HTMLElement>(`[data-day="${day}"]`) ?? null
}

/** Within the axis alone: the page itself stays where it is. */
function scrollTo(axis: HTMLElement, day: HTMLElement | null): void {
  if (day) axis.scrollLeft = day.offsetLeft - axis.clientWidth / 2
}
