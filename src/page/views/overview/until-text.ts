/** How long it is until then, in the largest unit that says enough. Pure. */

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

// The page speaks English.
const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

export function untilText(at: string, nowMs: number): string {
  const left = Date.parse(at) - nowMs
  if (left <= 0) return 'has ended'
  const [unit, ms] = UNITS.find(([, size]) => left >= 1.5 * size) ?? ['minute', 60_000]
  return words.format(Math.max(1, Math.round(left / ms)), unit)
}
