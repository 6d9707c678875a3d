/**
 * Which markers are taken back, read from the end: an unmark counts for the markers that stand before it, so it is known before
 * these are met. Pure.
 */

import type { SessionRecord } from '../ports/store.ts'
import { type Marker, parseRecords } from './records.ts'

export class Unmarks {
  readonly #markers = new Set<string>()

  put(marker: string): void {
    this.#markers.add(marker)
  }

  /** Of a marker that stands before all that were put in. */
  takeBack({ id }: Marker): boolean {
    return this.#markers.has(id)
  }
}

export interface FoundMarker {
  readonly marker: Marker
  readonly unmarked: boolean
}

/** All markers of these records, oldest first. */
export function markersIn(records: readonly SessionRecord[]): readonly FoundMarker[] {
  const unmarks = new Unmarks()
  const markers: FoundMarker[] = []
  for (const record of parseRecords(records).toReversed()) {
    if (record.type === 'unmark') unmarks.put(record.marker)
    if (record.type === 'marker') markers.push({ marker: record.marker, unmarked: unmarks.takeBack(record.marker) })
  }
  return markers.toReversed()
}
