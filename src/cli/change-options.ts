/** Which changes are meant: the options that `log` and `undo` share. */
import { type ChangeFilter, parseOriginBy } from '../history/log.ts'
import { ORIGINS } from '../model/entry.ts'
import type { Arguments } from './arguments.ts'
import type { Option } from './command.ts'
import { type Present, parseDates, SINCE, UNTIL } from './date-options.ts'

export const CHANGE_OPTIONS: readonly Option[] = [
  SINCE,
  UNTIL,
  { name: 'by', value: 'ORIGIN', about: `only by one of ${ORIGINS.join(', ')}` },
  { name: 'session', value: 'S', about: 'only of this session' },
]

export function changeFilter(given: Arguments, present: Present): ChangeFilter {
  const [by, session] = [given.one('by'), given.one('session')]
  return {
    ...parseDates(given, present),
    ...(by === undefined ? {} : { by: parseOriginBy(by) }),
    ...(session === undefined ? {} : { session }),
  }
}

/** The given options, by their flags, that a number of a change leaves no room for. */
export function flagsGiven(given: Arguments, names: readonly string[]): string[] {
  return names.filter((name) => given.has(name)).map((name) => `--${name}`)
}
