import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import { stemEnglish } from './stem-english.ts'

describe('stemEnglish', () => {
  it.each([
    ['consist', 'consist consisted consistency consistent consistently consisting consists'],
    ['deploy', 'deploy deploys deployed deploying deployment deployments'],
    ['knack', 'knack knacks'],
    ['knight', 'knight knights'],
    ['generat', 'generate generates generated generating generation'],
    ['general', 'general generally'],
    ['communiti', 'community communities'],
    ['hope', 'hope hopes hoped hoping'],
    ['hop', 'hop hops hopped hopping'],
    ['agre', 'agree agreed agrees agreeing'],
    ['happi', 'happy happiness'],
    ['relat', 'relate related relational relation'],
    ['condit', 'condition conditional conditions'],
    ['electr', 'electrical electricity electric'],
    ['use', 'use used uses using'],
    ['sky', 'sky skies'],
    ['die', 'die dying dies died'],
    ['tie', 'tie ties tied tying'],
    ['gas', 'gas'],
    ['this', 'this'],
    ['news', 'news'],
    ['succeed', 'succeed succeeds'],
    ['cri', 'cry cries cried'],
    ['by', 'by'],
    ['say', 'say says'],
    ['yes', 'yes'],
    ['boy', 'boy boys'],
    ['control', 'control controlled controlling'],
    ['roll', 'roll rolls rolled'],
    ['adopt', 'adopt adoption adopted'],
    ['adjust', 'adjust adjustable adjustment'],
    ['technolog', 'technology technologies'],
    ['bake', 'bake baked baking'],
  ])('makes %s of %s', (stem, words) => {
    for (const word of words.split(' ')) expect(stemEnglish(word), word).toBe(stem)
  })

  it.each([
    ['news', 'new'],
    ['hope', 'hop'],
    ['general', 'generate'],
    ['universe', 'uniform'],
    ['inning', 'in'],
  ])('keeps %s apart from %s', (one, other) => {
    expect(stemEnglish(one)).not.toBe(stemEnglish(other))
  })

  it('keeps the first letter, adds at most one, and answers for any letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aeiouybcdghlnrstz'), minLength: 1, maxLength: 20 }), (word) => {
        const stem = stemEnglish(word)
        expect(stem[0]).toBe(word[0])
        expect(stem.length).toBeLessThanOrEqual(word.length + 1)
        expect(stem).toMatch(/^[a-z]+$/)
      }),
      { numRuns: isNightly ? 20_000 : 1500 },
    )
  })
})
