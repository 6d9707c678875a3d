import { describe, expect, it } from 'vitest'
import { type Fusable, fuse } from './fuse.ts'

const ALONE: Fusable = { words: 0, cosine: 0, asks: false, around: [] }

function scores(...all: readonly Partial<Fusable>[]): number[] {
  return fuse(all.map((one) => ({ ...ALONE, ...one }))).map(({ words, meaning }) => words + meaning)
}

describe('words and meaning', () => {
  it('make 1 where both are as good as can be, and 0 where neither says anything', () => {
    const [best, none, opposite] = scores({ words: 1, cosine: 1 }, {}, { cosine: -1 })
    expect(best).toBeCloseTo(1, 12)
    expect([none, opposite]).toEqual([0, 0])
  })

  it('each raise a score', () => {
    const [words, both, nearer] = scores(
      { words: 0.5, cosine: 0.2 },
      { words: 0.5, cosine: 0.4 },
      { words: 0.6, cosine: 0.4 },
    )
    expect(both).toBeGreaterThan(words ?? 1)
    expect(nearer).toBeGreaterThan(both ?? 1)
  })

  it('take what stands around for a part of what is meant, the more so for a question', () => {
    const [alone, lifted, asked] = scores(
      { cosine: 0.3 },
      { cosine: 0.3, around: [0.8, 0.8] },
      { cosine: 0.3, around: [0.8, 0.8], asks: true },
    )
    expect(lifted).toBeGreaterThan(alone ?? 1)
    expect(asked).toBeGreaterThan(lifted ?? 1)
  })

  it('take what has no vector yet for neither near nor far', () => {
    const [near, unknown, far] = scores(
      { words: 0.5, cosine: 0.7 },
      { words: 0.5, cosine: undefined },
      { words: 0.5, cosine: 0.1 },
    )
    expect(unknown).toBeGreaterThan(far ?? 1)
    expect(unknown).toBeLessThan(near ?? 0)
  })

  it('are the words alone where nothing has a vector', () => {
    expect(scores({ words: 0.5, cosine: undefined }, { words: 0.2, cosine: undefined })).toEqual([0.5, 0.2])
  })
})
