/**
 * How good one answer is, and many on average. Pure, the textbook definitions: Recall@k is the share of all relevant docs that
 * is among the first k, nDCG@10 divides gain by log2(rank + 1) and by what the ideal order of all relevant docs would have
 * had, MRR@10 is one over the rank of the first relevant doc, hit@10 tells whether there is one at all.
 */

export const METRICS = ['recall@1', 'recall@5', 'recall@10', 'ndcg@10', 'mrr@10', 'hit@10'] as const

export type Metric = (typeof METRICS)[number]

/** Each from 0 to 1. */
export type Scores = Readonly<Record<Metric, number>>

/** How deep an answer is looked at. */
export const DEPTH = 10

/** `ranked`: ids, best first. `gains`: what each relevant doc is worth, above 0; at least one. */
export function scoresOf(ranked: readonly string[], gains: ReadonlyMap<string, number>): Scores {
  const found = [...new Set(ranked)].slice(0, DEPTH).map((id) => gains.get(id) ?? 0)
  const ideal = [...gains.values()].sort((a, b) => b - a).slice(0, DEPTH)
  const first = found.findIndex((gain) => gain > 0)
  const recall = (depth: number): number => found.slice(0, depth).filter((gain) => gain > 0).length / gains.size
  return {
    'recall@1': recall(1),
    'recall@5': recall(5),
    'recall@10': recall(10),
    'ndcg@10': discounted(found) / discounted(ideal),
    'mrr@10': first === -1 ? 0 : 1 / (first + 1),
    'hit@10': first === -1 ? 0 : 1,
  }
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)
}

export function meanScores(all: readonly Scores[]): Scores {
  const mean = (metric: Metric): number => all.reduce((sum, scores) => sum + scores[metric], 0) / all.length
  return Object.fromEntries(METRICS.map((metric) => [metric, mean(metric)])) as Record<Metric, number> // the same keys
}

/** The value that `share` of all values do not exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
