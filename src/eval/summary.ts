/** What many queries give on average: over all of a run, and by category. */
import type { Level } from './level.ts'
import { meanScores, percentile, type Scores } from './metrics.ts'
import type { QueryRun, Run } from './run.ts'

export type Average = Scores & { readonly n: number }

export interface Summary extends Average {
  readonly name: string
  readonly level: Level
  readonly mode: string
  readonly p50Ms: number
  readonly p95Ms: number
  readonly categories: Readonly<Record<string, Average>>
  /** Where there are adversarial queries, which ask for what was never said: all others. */
  readonly withoutAdversarial?: Average
}

const ADVERSARIAL = 'adversarial'

export function summaryOf({ name, level, mode, queries }: Run): Summary {
  const times = queries.map(({ ms }) => ms)
  const names = [...new Set(queries.flatMap(({ category }) => category ?? []))].sort()
  const categories = names.map((its) => [its, averageOf(queries.filter(({ category }) => category === its))] as const)
  const others = queries.filter(({ category }) => category !== ADVERSARIAL)
  return {
    name,
    level,
    mode,
    ...averageOf(queries),
    p50Ms: rounded(percentile(times, 0.5)),
    p95Ms: rounded(percentile(times, 0.95)),
    categories: Object.fromEntries(categories),
    ...(others.length > 0 && others.length < queries.length ? { withoutAdversarial: averageOf(others) } : {}),
  }
}

function averageOf(queries: readonly QueryRun[]): Average {
  return { n: queries.length, ...meanScores(queries.map(({ scores }) => scores)) }
}

/** Clocks are not finer than a microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
