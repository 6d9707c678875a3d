/** The known word that a mistyped one was meant to be; none when nothing comes near. */

export function nearest(word: string, known: readonly string[]): string | undefined {
  const far = Math.max(1, Math.floor(word.length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate) }))
    .filter(({ candidate, distance: steps }) => steps <= far || (word.length > 2 && candidate.startsWith(word)))
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate
}

/** Levenshtein's, with two neighbours swapped counting once, as fingers do. */
function distance(a: string, b: string): number {
  let older: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (older[j - 2] ?? 0) + 1 : Infinity
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    older = last
    last = row
  }
  return last[b.length] ?? 0
}
