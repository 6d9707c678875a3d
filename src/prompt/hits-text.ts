/**
 * What `recall` with a query gives a model: each hit whole, under its name or its time, the best first. Which hits there are,
 * and which the budget has no room for, the search has decided; the text says what is missing.
 */
import type { Entry } from '../model/entry.ts'
import { localTime } from '../model/time.ts'
import type { Found } from '../recall/found.ts'
import { neutral } from './neutral.ts'
import { notesOf } from './notes.ts'
import { nothingFoundText } from './searched-text.ts'

export function hitsText({ hits, searched, warnings }: Found, zone: string): string {
  const texts =
    hits.length === 0
      ? [nothingFoundText(searched, zone, (option) => option.replace('-', ' '))]
      : hits.map(({ entry }) => hitText(entry, zone))
  // Where nothing was found, that text has already said what did not fit.
  return neutral([...texts, ...notesOf(hits.length === 0 ? 0 : searched.omitted, warnings)].join('\n\n'))
}

export function hitText(entry: Entry, zone: string): string {
  return [`## ${titleOf(entry, zone)}`, entry.description, entry.content].filter((part) => part !== '').join('\n\n')
}

function titleOf({ name, key, createdAt }: Entry, zone: string): string {
  const { day, time } = localTime(createdAt, zone)
  return name ?? key ?? `${day} ${time}`
}
