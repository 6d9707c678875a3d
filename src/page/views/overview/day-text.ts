/** A day as a person says it. A day is a day wherever it is read, so no zone has a say. Pure. */

const words = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'long' })
const shortWords = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' })

/** `4 March 2026` */
export function dayText(day: string): string {
  return words.format(new Date(`${day}T00:00:00Z`))
}

/** `4 Mar` */
export function shortDayText(day: string): string {
  return shortWords.format(new Date(`${day}T00:00:00Z`))
}
