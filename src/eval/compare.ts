/** Two saved sets of runs side by side: what both have, metric by metric, paired query by query. */
import { KeepsakeError } from '../errors.ts'
import { type Difference, pairedBootstrap } from './bootstrap.ts'
import { METRICS, type Metric } from './metrics.ts'
import type { QueryRun, Run } from './run.ts'

export interface Comparison {
  readonly name: string
  readonly level: Run['level']
  /** Queries that both runs have. */
  readonly n: number
  /** Queries that only one of them has. */
  readonly unpaired: number
  readonly metrics: Readonly<Record<Metric, Difference & { readonly first: number; readonly second: number }>>
}

/** One for each name and level that is in both. */
export function compareRuns(first: readonly Run[], second: readonly Run[]): readonly Comparison[] {
  const comparisons = first.flatMap((run) => {
    const other = second.find(({ name, level }) => name === run.name && level === run.level)
    const comparison = other && compared(run, other)
    return comparison ?? []
  })
  if (comparisons.length > 0) return comparisons
  throw new KeepsakeError('INVALID', 'the two files have no run in common', {
    hint: `One has ${namesOf(first)}, the other ${namesOf(second)}. Run both on the same data.`,
  })
}

function compared(first: Run, second: Run): Comparison | undefined {
  const others = new Map(second.queries.map((query) => [keyOf(query), query]))
  const pairs = first.queries.flatMap((query) => {
    const other = others.get(keyOf(query))
    return other ? [{ first: query.scores, second: other.scores }] : []
  })
  if (pairs.length === 0) return undefined
  const metrics = METRICS.map((metric) => {
    const [before, after] = [pairs.map((pair) => pair.first[metric]), pairs.map((pair) => pair.second[metric])]
    return [metric, { first: meanOf(before), second: meanOf(after), ...pairedBootstrap(before, after) }] as const
  })
  return {
    name: first.name,
    level: first.level,
    n: pairs.length,
    unpaired: first.queries.length + second.queries.length - 2 * pairs.length,
    metrics: Object.fromEntries(metrics) as Comparison['metrics'], // one for each metric
  }
}

function keyOf({ scope, id }: QueryRun): string {
  return JSON.stringify([scope, id])
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function namesOf(runs: readonly Run[]): string {
  return runs.map(({ name, level }) => `${name} (${level})`).join(', ') || 'none'
}
