/** Chance that can be repeated: one seed, one sequence, on every machine. Not for ids or secrets. */
export interface Random {
  /** An integer from 0 up to, not including, `below`. */
  int(below: number): number
  /** True once in `oneIn` times. */
  chance(oneIn: number): boolean
  pick<T>(items: readonly T[]): T
}

/** The mulberry32 generator: 32 bits of state, enough to choose test data by. */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (below: number): number => Math.floor(next() * below)
  return {
    int,
    chance: (oneIn) => int(oneIn) === 0,
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new Error('nothing to pick from')
      return items[int(items.length)] as T // the index is in range
    },
  }
}
