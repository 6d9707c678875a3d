/** What `keepsake eval` found, as people read it: tables of numbers, and tests that hold or fail. */
import type { Comparison } from '../eval/compare.ts'
import { METRICS } from '../eval/metrics.ts'
import { RECALL_TESTS, type TestResult } from '../eval/recall-tests.ts'
import type { Run } from '../eval/run.ts'
import { type Average, type Summary, summaryOf } from '../eval/summary.ts'
import { columnWidth, padToWidth } from './display-width.ts'
import type { Screen } from './screen.ts'

const TITLES = ['Recall@1', 'Recall@5', 'Recall@10', 'nDCG@10', 'MRR@10', 'hit@10']

/** A table for each run, and where there are several, one of them all. */
export function runsText(runs: readonly Run[], screen: Screen): string {
  const told = runs.map((run) => ({ run, summary: summaryOf(run) }))
  const tables = told.map(({ run, summary }) => runText(run, summary, screen))
  if (told.length < 2) return tables.join('\n')
  const rows = told.map(({ summary }) => [`${summary.name} ${summary.level}`, ...cells(summary)])
  const means = METRICS.map((metric) => {
    const sum = told.reduce((total, { summary }) => total + summary[metric], 0)
    return score(sum / told.length)
  })
  return [
    ...tables,
    [screen.bold('All runs'), ...tableText([...rows, ['mean', '', ...means]], screen)].join('\n'),
  ].join('\n\n')
}

function runText({ docs }: Run, summary: Summary, screen: Screen): string {
  const { name, level, mode, n, p50Ms, p95Ms, categories, withoutAdversarial } = summary
  const unit = level === 'session' ? 'sessions' : 'docs'
  const rows = [
    ['all', ...cells(summary)],
    ...(withoutAdversarial ? [['without adversarial', ...cells(withoutAdversarial)]] : []),
    ...Object.entries(categories).map(([category, average]) => [category, ...cells(average)]),
  ]
  return [
    `${screen.bold(`${name} ${level}`)}: ${n} queries, ${docs} ${unit}, ${mode}`,
    ...tableText(rows, screen),
    screen.dim(`  a search takes ${p50Ms.toFixed(2)} ms (p50), ${p95Ms.toFixed(2)} ms (p95)`),
  ].join('\n')
}

function cells(average: Average): string[] {
  return [String(average.n), ...METRICS.map((metric) => score(average[metric]))]
}

function tableText(rows: readonly (readonly string[])[], screen: Screen): string[] {
  return aligned([['', 'n', ...TITLES], ...rows], screen)
}

export function comparisonText(comparisons: readonly Comparison[], screen: Screen): string {
  return comparisons
    .map(({ name, level, n, unpaired, metrics }) => {
      const rows = METRICS.map((metric, index) => {
        const { first, second, delta, interval, p, wins, losses } = metrics[metric]
        const range = `${signed(interval[0])} to ${signed(interval[1])}`
        const chance = p < 0.001 ? '<0.001' : p.toFixed(3)
        return [TITLES[index] ?? metric, score(first), score(second), signed(delta), range, chance, `${wins}/${losses}`]
      })
      const alone = unpaired === 0 ? '' : `; ${unpaired} are in one run only and were left out`
      return [
        `${screen.bold(`${name} ${level}`)}: ${n} queries in both${alone}`,
        ...aligned([['', 'first', 'second', 'delta', '95 % interval', 'p', 'better/worse'], ...rows], screen),
      ].join('\n')
    })
    .join('\n\n')
}

/** The first column to the left, numbers to the right; the first row is the head. */
function aligned(rows: readonly (readonly string[])[], screen: Screen): string[] {
  const shown = rows.map((row) => row.map((cell) => screen.line(cell)))
  const widths = (shown[0] ?? []).map((_, column) => columnWidth(shown.map((row) => row[column] ?? '')))
  return shown.map((row, index) => {
    const parts = row.map((cell, column) =>
      column === 0 ? padToWidth(widths[column] ?? 0, cell) : cell.padStart(widths[column] ?? 0),
    )
    const line = `  ${parts.join('  ')}`
    return index === 0 ? screen.dim(line) : line
  })
}

function score(value: number): string {
  return value.toFixed(3)
}

function signed(value: number): string {
  const text = value.toFixed(3)
  return value < 0 || text === '0.000' ? text.replace('-0.000', '0.000') : `+${text}`
}

export function testsText(results: readonly TestResult[], screen: Screen, which: 'all' | 'failed'): string {
  const shown = which === 'all' ? results : results.filter(({ passed }) => !passed)
  const lines = shown.flatMap(({ line, query, expect, name, passed, rank, sentence }) => {
    const verdict = passed ? screen.green('holds') : screen.red('fails')
    const place = passed && rank !== undefined ? screen.dim(`  hit ${rank}`) : ''
    return [
      `${verdict}  ${screen.dim(`${RECALL_TESTS}:${line}`)}  ${screen.line(`${query} -> must ${expect} ${name}`)}${place}`,
      ...(sentence === undefined ? [] : [`       ${screen.line(sentence)}`]),
    ]
  })
  if (which === 'failed') return lines.join('\n')
  const failed = results.filter(({ passed }) => !passed).length
  const count = results.length === 1 ? '1 test' : `${results.length} tests`
  return [...lines, '', failed === 0 ? `${count}: all hold.` : `${count}: ${failed} fail.`].join('\n')
}
