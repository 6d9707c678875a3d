import { describe, expect, it } from 'vitest'
import { meanScores, percentile, scoresOf } from './metrics.ts'

function equally(...ids: string[]): Map<string, number> {
  return new Map(ids.map((id) => [id, 1]))
}

describe('the scores of one answer', () => {
  it('are all 1 for the ideal one', () => {
    expect(scoresOf(['a'], equally('a'))).toEqual({
      'recall@1': 1,
      'recall@5': 1,
      'recall@10': 1,
      'ndcg@10': 1,
      'mrr@10': 1,
      'hit@10': 1,
    })
  })

  it('are all 0 where nothing relevant was found', () => {
    expect(Object.values(scoresOf(['x', 'y'], equally('a')))).toEqual([0, 0, 0, 0, 0, 0])
    expect(Object.values(scoresOf([], equally('a')))).toEqual([0, 0, 0, 0, 0, 0])
  })

  it('are what one works out by hand', () => {
    // Relevant: a at rank 2, b at rank 6, c not found.
    const scores = scoresOf(['x', 'a', 'x2', 'x3', 'x4', 'b'], equally('a', 'b', 'c'))
    expect(scores['recall@1']).toBe(0)
    expect(scores['recall@5']).toBeCloseTo(1 / 3)
    expect(scores['recall@10']).toBeCloseTo(2 / 3)
    expect(scores['mrr@10']).toBe(1 / 2)
    expect(scores['hit@10']).toBe(1)
    // (1/log2(3) + 1/log2(7)) / (1 + 1/log2(3) + 1/log2(4)) = (0.63093 + 0.35621) / 2.13093
    expect(scores['ndcg@10']).toBeCloseTo(0.46324, 4)
  })

  it('count the grade as gain', () => {
    const gains = new Map([
      ['low', 1],
      ['high', 3],
    ])
    // (1 + 3/log2(3)) / (3 + 1/log2(3)) = 2.89279 / 3.63093
    expect(scoresOf(['low', 'high'], gains)['ndcg@10']).toBeCloseTo(0.79671, 4)
    expect(scoresOf(['high', 'low'], gains)['ndcg@10']).toBe(1)
  })

  it('look no deeper than ten', () => {
    const ten = Array.from({ length: 10 }, (_, n) => `x${n}`)
    expect(scoresOf([...ten, 'a'], equally('a'))['recall@10']).toBe(0)
    expect(scoresOf([...ten.slice(1), 'a'], equally('a'))['mrr@10']).toBe(0.1)
  })

  it('have the ten best docs as the ideal, and all docs as what recall is a share of', () => {
    const many = Array.from({ length: 20 }, (_, n) => `r${n}`)
    const scores = scoresOf(many.slice(0, 10), equally(...many))
    expect(scores['ndcg@10']).toBe(1)
    expect(scores['recall@10']).toBe(0.5)
  })

  it('count a doc that is given twice once, where it stands first', () => {
    expect(scoresOf(['a', 'a', 'b'], equally('a', 'b'))).toEqual(scoresOf(['a', 'b'], equally('a', 'b')))
  })
})

describe('many answers', () => {
  it('have the mean of each score', () => {
    const mean = meanScores([scoresOf(['a'], equally('a')), scoresOf(['x', 'a'], equally('a'))])
    expect(mean['mrr@10']).toBe(0.75)
    expect(mean['recall@1']).toBe(0.5)
    expect(mean['hit@10']).toBe(1)
  })

  it('have percentiles by nearest rank', () => {
    const values = [5, 1, 4, 2, 3]
    expect(percentile(values, 0.5)).toBe(3)
    expect(percentile(values, 0.95)).toBe(5)
    expect(percentile([7], 0.5)).toBe(7)
    expect(percentile([], 0.5)).toBe(0)
  })
})
