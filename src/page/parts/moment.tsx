/** A moment as the workspace's clocks show it, not as the browser's do: days are the same here as in the files' names. */
import type { VNode } from 'preact'
import { workspace } from '../state.ts'

export function Moment({ at }: { readonly at: string }): VNode {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{at}</span>
  const zone = workspace.value?.zone ?? 'UTC'
  return (
    <time class="moment" dateTime={at} title={`${fullText(date, zone)} (${zone})`}>
      {shortText(date, zone, new Date())}
    </time>
  )
}

/** Today only the time, this year without the year, and further back without the time. */
export function shortText(date: Date, zone: string, now: Date): string {
  const [day, today] = [dayText(date, zone), dayText(now, zone)]
  const time = formatter(zone, { hour: '2-digit', minute: '2-digit' }).format(date)
  if (day === today) return time
  const isThisYear = day.slice(-4) === today.slice(-4)
  return isThisYear ? `${day.slice(0, -5)}, ${time}` : day
}

export function fullText(date: Date, zone: string): string {
  return formatter(zone, { dateStyle: 'full', timeStyle: 'medium' }).format(date)
}

/** `4 Mar 2026` */
function dayText(date: Date, zone: string): string {
  return formatter(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(date)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

// The page speaks English, and so do its dates. Making a formatter is dear, and a list shows hundreds.
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${Object.keys(options)}`
  const made = formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options })
  formatters.set(key, made)
  return made
}
