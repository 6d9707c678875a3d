/** Days and months as a person says them. A day is a day wherever it is read, so no zone has a say. Pure. */

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  // The page speaks English, and so do its dates.
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options })

const whole = format({ dateStyle: 'full' })
const month = format({ month: 'short' })

/** `Tuesday 17 November 2026` */
export function dayName(day: string): string {
  return whole.format(dateOf(day))
}

/** `Nov`, in January with its year. */
export function monthName(day: string): string {
  const name = month.format(dateOf(day))
  return day.slice(5, 7) === '01' ? `${name} ${day.slice(0, 4)}` : name
}

function dateOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`)
}
