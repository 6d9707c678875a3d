import { describe, expect, it } from 'vitest'
import { fingerprintsOf } from './fingerprints.ts'
import { newPart } from './new-part.ts'

describe('fingerprintsOf', () => {
  it('has about one number for every two words, and bounds them', () => {
    const words = Array.from({ length: 400 }, (_, n) => `word${n}`)
    expect(fingerprintsOf(words.join(' ')).length).toBeLessThanOrEqual(210)
    const long = Array.from({ length: 12_000 }, (_, n) => `word${n}`)
    expect(fingerprintsOf(long.join(' ')).length).toBeLessThanOrEqual(8000)
    expect(newPart(long.join(' '), new Set(fingerprintsOf(long.join(' '))))).toBeUndefined()
    const endless = Array.from({ length: 50_000 }, (_, n) => `word${n}\n`).join('')
    expect(fingerprintsOf(endless).length).toBeLessThanOrEqual(8000)
  })

  it('prints a line the same wherever it stands', () => {
    const line = 'The spare key hangs behind the blue door of the shed'
    const known = new Set(fingerprintsOf(`An odd line before it\n${line}`))
    expect(fingerprintsOf(line).every((print) => known.has(print))).toBe(true)
  })

  it('prints nothing of a text without words', () => {
    expect(fingerprintsOf(' \n--\n')).toEqual([])
  })
})
