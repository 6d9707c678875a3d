/** The last maps that were drawn, each for as long as what it shows is the same: to draw one takes up to a second. */
import type { MapAnswer } from './contract.ts'

const MOST_KEPT = 4

export class KeptMaps {
  #kept: readonly { readonly shows: string; readonly map: MapAnswer }[] = []

  /** Only what is done is kept: who goes away while it is drawn ends it, and must not end it for another. */
  async of(shows: string, draw: () => Promise<MapAnswer>): Promise<MapAnswer> {
    const known = this.#kept.find((one) => one.shows === shows)
    if (known) return known.map
    const map = await draw()
    this.#kept = [...this.#kept.slice(1 - MOST_KEPT), { shows, map }]
    return map
  }
}
