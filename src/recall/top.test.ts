import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Top } from './top.ts'

describe('the best of many', () => {
  it('are those that sorting all would give, in that order', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 60 })
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 12 }), (all, most) => {
        const top = new Top(most, (a, b) => a > b)
        for (const [doc, score] of all.entries()) top.offer(doc, score)
        const sorted = all.map((score, doc) => ({ doc, score })).sort((a, b) => b.score - a.score || b.doc - a.doc)
        expect(top.inOrder()).toEqual(sorted.slice(0, most))
      }),
    )
  })
})
