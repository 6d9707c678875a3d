/**
 * Long work in small steps: a generator that yields about every thousand units (a posting, a token, a comparison) what
 * it has spent. Whoever writes to the index advances it by a bounded amount, so nobody ever waits for a merge.
 */
export type Steps<T> = Generator<number, T, void>

export const STEP = 1000

export function runAll<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next()
    if (next.done) return next.value
  }
}

/**
 * A stable merge sort that starts from the runs that are there: parts that are sorted already, as those of the segments
 * that are merged, cost one pass over all for each doubling of their number. Gives `items` or an array of that length.
 */
export function* sortInSteps(items: Uint32Array, compare: (a: number, b: number) => number): Steps<Uint32Array> {
  let runs = [0]
  for (let i = 1; i < items.length; i++) {
    if (compare(items[i - 1] ?? 0, items[i] ?? 0) > 0) runs.push(i)
    if (i % STEP === 0) yield STEP
  }
  let from = items
  let to = runs.length > 1 ? new Uint32Array(items.length) : items
  while (runs.length > 1) {
    const merged: number[] = []
    for (let run = 0; run < runs.length; run += 2) {
      const start = runs[run] ?? 0
      const middle = runs[run + 1] ?? items.length
      const end = runs[run + 2] ?? items.length
      merged.push(start)
      let left = start
      let right = middle
      for (let at = start; at < end; at++) {
        const takeLeft = left < middle && (right >= end || compare(from[left] ?? 0, from[right] ?? 0) <= 0)
        to[at] = (takeLeft ? from[left++] : from[right++]) ?? 0
        if (at % STEP === 0) yield STEP
      }
    }
    runs = merged
    const spare = from
    from = to
    to = spare
  }
  return from
}
