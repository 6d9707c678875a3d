/** What to look for when a text is purged: where else its words stand. Pure. */

/** Shorter ones stand in too many places by chance to be looked for by themselves. */
const SHORTEST_TEXT = 6
const SHORTEST_LINE = 12

/** Whole, and by the line. The longest first, so that a line does not break up the whole that holds it. */
export function needlesOf(texts: readonly string[]): string[] {
  const whole = texts.map((text) => text.trim()).filter((text) => text.length >= SHORTEST_TEXT)
  const lines = texts.flatMap((text) => text.split('\n').map((line) => line.trim()))
  const parts = new Set([...whole, ...lines.filter((line) => line.length >= SHORTEST_LINE)])
  return [...parts].sort((a, b) => b.length - a.length)
}

/** One of them can't be looked for. */
export function isTooShort(texts: readonly string[]): boolean {
  return texts.some((text) => text.trim().length < SHORTEST_TEXT)
}
