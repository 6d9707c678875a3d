/**
 * How far back the past goes. Changes older than the memory wants to keep are cut off when the file is folded, and what was there
 * after them becomes the base of the rest. Nothing younger than 30 days goes for its size.
 */
import { decodeChange } from '../../codec/one-file/change.ts'
import { instant } from '../../model/time.ts'
import type { ChangePlaces } from './change-places.ts'
import { payloadAt } from './file-builder.ts'
import type { FollowedFile } from './follower.ts'
import type { OneFile } from './one-file.ts'
import { ReadAhead } from './read-ahead.ts'

const DAY_MS = 86_400_000
const FEWEST_DAYS = 30
const MEGABYTE = 1024 * 1024

/** How many of the oldest changes are past keeping: of a row that is old without a gap, for clocks go back. */
export function countToCut({ file, catalogue }: FollowedFile, nowMs: number): number {
  const { changes, settings } = catalogue
  const limit = daysBefore(nowMs, settings.retentionDays)
  const hardLimit = daysBefore(nowMs, FEWEST_DAYS)
  const mostBytes = settings.retentionMb * MEGABYTE
  const reading = new ReadAhead(file)
  let bytes = file.size() <= mostBytes ? 0 : undefined
  for (let index = 0; index < changes.count; index++) {
    const at = changes.offset(index)
    const { head, payload } = reading.frame(at)
    const { change } = decodeChange(payload, { path: file.path, at: payloadAt(at) })
    if (change.at >= hardLimit) return index
    if (change.at < limit) continue
    bytes ??= bytesFrom(file, changes, index)
    if (bytes <= mostBytes) return index
    bytes -= head.size
  }
  return changes.count
}

/** Not before times begin: more days than there were keep all. */
function daysBefore(nowMs: number, days: number): string {
  return instant(Math.max(0, nowMs - days * DAY_MS))
}

function bytesFrom(file: OneFile, changes: ChangePlaces, first: number): number {
  const reading = new ReadAhead(file)
  let bytes = 0
  for (let index = first; index < changes.count; index++) bytes += reading.frame(changes.offset(index)).head.size
  return bytes
}
