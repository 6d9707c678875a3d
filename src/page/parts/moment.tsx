/** A moment as the workspace's clocks show it, not as the browser's do: days are the same here as in the files' names. */
import type { VNode } from 'preact'
import { workspace } from '../state.ts'

export interface MomentProps {
  readonly at: string
  /** With day and time, however near. */
  readonly isWhole?: boolean
}

export function Moment({ at, isWhole = false }: MomentProps): VNode {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{at}</span>
  const zone = workspace.value?.zone ?? 'UTC'
  return (
    <time class="moment" dateTime={at} title={`${fullText(date, zone)} (${zone})`}>
      {isWhole ? wholeText(date, zone) : shortText(date, zone, new Date())}
    </time>
  )
}

/** `4 Mar 2026, 09:30` */
function wholeText(date: Date, zone: string): string {
  return `${dayText(date, zone)}, ${timeText(date, zone)}`
}

/** Today only the time, this year without the year, and further back without the time. */
export function shortText(date: Date, zone: string, now: Date): string {
  const [day, today] = [dayText(date, zone), dayText(now, zone)]
  if (day === today) return timeText(date, zone)
  const isThisYear = day.slice(-4) === today.slice(-4)
  return isThisYear ? `${day.slice(0, -5)}, ${timeText(date, zone)}` : day
}

export function fullText(date: Date, zone: string): string {
  return formatter(zone, { dateStyle: 'full', timeStyle: 'medium' }).format(date)
}

/** `4 Mar 2026` */
function dayText(date: Date, zone: string): string {
  return formatter(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(date)
}

function timeText(date: Date, zone: string): string {
  return formatter(zone, { hour: '2-digit', minute: '2-digit' }).format(date)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

// The page speaks English, and so do its dates. Making a formatter is dear, and a list shows hundreds.
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${Object.keys(options)}`
  const made = formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options })
  formatters.set(key, made)
  return made
}
