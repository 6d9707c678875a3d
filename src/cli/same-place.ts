/** A copy of a memory must not lie in that memory. */
import { realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { isUrl } from '../config/value-types.ts'
import { InvalidError } from '../errors.ts'

/** `field`: who says `to`. */
export function refuseSamePlace(from: string, to: string, field: string): void {
  const [source, target] = [from, to].map((place) => (isUrl(place) ? place : realPath(place))) as [string, string] // of two
  const allowed = 'another place, outside of the memory that is copied'
  if (target === source) throw new InvalidError(field, `${to} is the memory that is copied`, allowed)
  if (!isUrl(source) && target.startsWith(source + sep))
    throw new InvalidError(field, `${to} lies inside of ${from}`, allowed)
}

/** Also of what is not there yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
  }
}
