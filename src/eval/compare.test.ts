import { describe, expect, it } from 'vitest'
import { compareRuns } from './compare.ts'
import { scoresOf } from './metrics.ts'
import type { Run } from './run.ts'
import { parseRuns, writeRuns } from './saved-runs.ts'

/** `ranks`: where the one relevant doc of each query was found; 0 for not at all. */
function runOf(ranks: readonly number[], more: Partial<Run> = {}): Run {
  const queries = ranks.map((rank, n) => {
    const ranked = Array.from({ length: 10 }, (_, at) => (at + 1 === rank ? 'right' : `wrong${at}`))
    return { scope: 'one', id: `q${n}`, scores: scoresOf(ranked, new Map([['right', 1]])), ms: 1 }
  })
  return { name: 'set', level: 'turn', mode: 'lexical', docs: 20, queries, leftOut: 0, missing: 0, ...more }
}

describe('saved runs', () => {
  it('are read as they were written', () => {
    const runs = [runOf([1, 2, 0])]
    expect(parseRuns(writeRuns(runs), 'a.json')).toEqual(runs)
  })

  it.each(['', 'x', '{}', '[]', 'null', '{"keepsakeEval":2,"runs":[]}', '{"keepsakeEval":1,"runs":[{"name":"a"}]}'])(
    'are not in %j, and the error names the file',
    (text) => {
      expect(() => parseRuns(text, 'a.json')).toThrow('a.json holds no runs')
    },
  )

  it('must have the numbers of every query', () => {
    const text = writeRuns([runOf([1])]).replace(/"mrr@10":1/, '"mrr@10":null')
    expect(() => parseRuns(text, 'a.json')).toThrow('a.json holds no runs')
  })
})

describe('comparing', () => {
  it('pairs by scope and id, whatever the order', () => {
    const first = runOf([1, 0, 4])
    const second = runOf([1, 1, 0])
    const shuffled = { ...second, queries: [...second.queries].reverse() }
    const [comparison] = compareRuns([first], [shuffled])
    expect(comparison).toMatchObject({ name: 'set', level: 'turn', n: 3, unpaired: 0 })
    expect(comparison?.metrics['mrr@10']).toMatchObject({ wins: 1, losses: 1, ties: 1 })
    expect(comparison?.metrics['mrr@10'].first).toBeCloseTo((1 + 0 + 0.25) / 3)
    expect(comparison?.metrics['mrr@10'].second).toBeCloseTo(2 / 3)
    expect(comparison?.metrics['mrr@10'].delta).toBeCloseTo(0.25)
  })

  it('leaves out what only one has, and says how much', () => {
    const [comparison] = compareRuns([runOf([1, 1, 1])], [runOf([1])])
    expect(comparison).toMatchObject({ n: 1, unpaired: 2 })
  })

  it('takes runs of one name and level together', () => {
    const comparisons = compareRuns(
      [runOf([1]), runOf([0], { level: 'session' })],
      [runOf([1], { level: 'session' }), runOf([0]), runOf([1], { name: 'other' })],
    )
    expect(comparisons.map(({ level, metrics }) => [level, metrics['hit@10'].delta])).toEqual([
      ['turn', -1],
      ['session', 1],
    ])
  })

  it('says what each has where they have nothing in common', () => {
    expect(() => compareRuns([runOf([1])], [runOf([1], { name: 'other' })])).toThrow('no run in common')
  })
})
