/** The growth of several as layers of one height: what each has, and up to where its layer reaches. Pure. */
import type { GrowthSeries } from '../../../api/contract.ts'

export interface Layer extends GrowthSeries {
  /** Its own totals and those of all layers below it. */
  readonly tops: readonly number[]
}

/** More layers than these can't be told apart. */
const MOST_LAYERS = 10

/** The largest lies at the bottom and comes last; what never had anything is left out. */
export function layersOf(series: readonly GrowthSeries[]): readonly Layer[] {
  const sorted = series.filter((one) => lastOf(one) > 0).sort((a, b) => lastOf(b) - lastOf(a))
  const layers: Layer[] = []
  let below: readonly number[] = []
  for (const { label, totals } of folded(sorted)) {
    below = totals.map((total, day) => total + (below[day] ?? 0))
    layers.unshift({ label, totals, tops: below })
  }
  return layers
}

/** The smallest ones together, where there are too many. */
function folded(series: readonly GrowthSeries[]): readonly GrowthSeries[] {
  if (series.length <= MOST_LAYERS) return series
  const [kept, rest] = [series.slice(0, MOST_LAYERS - 1), series.slice(MOST_LAYERS - 1)]
  const totals = rest[0]?.totals.map((_, day) => rest.reduce((sum, one) => sum + (one.totals[day] ?? 0), 0)) ?? []
  return [...kept, { label: `${rest.length} others`, totals }]
}

function lastOf({ totals }: GrowthSeries): number {
  return totals.at(-1) ?? 0
}
