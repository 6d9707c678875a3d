import { describe, expect, it } from 'vitest'
import { type Fusable, fuse, usualMeaning } from './fuse.ts'

const ALONE: Fusable = { words: 0, cosine: 0, asks: false, around: [] }

function scoreOf(one: Partial<Fusable>, usual = 0): number {
  const { words, meaning } = fuse({ ...ALONE, ...one }, usual)
  return words + meaning
}

describe('words and meaning', () => {
  it('make 1 where both are as good as can be, and 0 where neither says anything', () => {
    expect(scoreOf({ words: 1, cosine: 1 })).toBeCloseTo(1, 12)
    expect([scoreOf({}), scoreOf({ cosine: -1 })]).toEqual([0, 0])
  })

  it('each raise a score', () => {
    const both = scoreOf({ words: 0.5, cosine: 0.4 })
    expect(both).toBeGreaterThan(scoreOf({ words: 0.5, cosine: 0.2 }))
    expect(scoreOf({ words: 0.6, cosine: 0.4 })).toBeGreaterThan(both)
  })

  it('take what stands around for a part of what is meant, the more so for a question', () => {
    const lifted = scoreOf({ cosine: 0.3, around: [0.8, 0.8] })
    expect(lifted).toBeGreaterThan(scoreOf({ cosine: 0.3 }))
    expect(scoreOf({ cosine: 0.3, around: [0.8, 0.8], asks: true })).toBeGreaterThan(lifted)
  })

  it('take what has no vector yet for as near as others are', () => {
    const others: Fusable[] = [
      { ...ALONE, cosine: 0.7 },
      { ...ALONE, cosine: undefined },
      { ...ALONE, cosine: 0.1 },
    ]
    const usual = usualMeaning(others) ?? 0
    expect(usual).toBeCloseTo((0.49 + 0.01) / 2, 12)
    const unknown = scoreOf({ words: 0.5, cosine: undefined }, usual)
    expect(unknown).toBeGreaterThan(scoreOf({ words: 0.5, cosine: 0.1 }, usual))
    expect(unknown).toBeLessThan(scoreOf({ words: 0.5, cosine: 0.7 }, usual))
    expect(usualMeaning([{ ...ALONE, cosine: undefined }])).toBeUndefined()
  })
})
