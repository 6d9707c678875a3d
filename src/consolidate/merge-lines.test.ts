/** Merging by lines: a table of what people would expect, and the laws that any merge has to keep. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeLines, mergeLinesAsOurs } from './merge-lines.ts'

const lines = (text: string): string => text.replaceAll(' ', '\n')

const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '', '- x'), { maxLength: 12 }).map((all) => all.join('\n'))

describe('mergeLines', () => {
  it.each([
    // base, theirs, ours, merged
    ['edits of two lines', 'a b c', 'A b c', 'a b C', 'A b C'],
    ['edits of two lines that touch', 'a b', 'A b', 'a B', 'A B'],
    ['two ends of the text', 'a', 'x a', 'a y', 'x a y'],
    ['additions at one place', 'a', 'a t', 'a o', 'a t o'],
    ['the same addition', 'a', 'a t', 'a t', 'a t'],
    ['an addition that holds the other', 'a', 'a t o', 'a o', 'a t o'],
    ['an addition that the other holds', 'a', 'a o', 'a t o', 'a t o'],
    ['a removal and an addition elsewhere', 'a b c', 'a c', 'a b c d', 'a c d'],
    ['the same removal', 'a b c', 'a c', 'a c', 'a c'],
    ['an addition before a line that changed', 'a b', 'a x b', 'a B', 'a x B'],
    ['two additions to nothing', '', 't', 'o', 't o'],
  ])('brings together %s', (_, base, theirs, ours, merged) => {
    expect(mergeLines(lines(base), lines(theirs), lines(ours))).toBe(lines(merged))
  })

  it.each([
    ['one line, changed in two ways', 'a b c', 'a X c', 'a Y c'],
    ['a line that is gone and changed', 'a b c', 'a c', 'a B c'],
    ['an addition in the middle of what is gone', 'a b c d', 'a d', 'a b x c d'],
    ['everything gone, and something new', 'a b', '', 'a B'],
  ])('leaves %s to a person', (_, base, theirs, ours) => {
    expect(mergeLines(lines(base), lines(theirs), lines(ours))).toBeUndefined()
  })

  it.each([
    // base, theirs, ours, what is left to decide
    ['beside an edit elsewhere', 'a b c d', 'X b c D', 'Y b c d', 'Y b c D'],
    ['beside an addition elsewhere', 'a b c', 'X b c t', 'Y b c', 'Y b c t'],
    ['beside additions of both', 'a b c', 'X b c t', 'Y b c o', 'Y b c t o'],
    ['where theirs takes up more', 'a b c d', 'X d', 'a Y c d t', 'a Y c d t'],
    ['where ours takes up more', 'a b c d', 'a X c D', 'Y d', 'Y D'],
    ['where edits lie over each other in a chain', 'a b c d e f', 'X c Y e F', 'a Z e f', 'a Z e F'],
    ['twice', 'a b c d', 'X b c U', 'Y b c V', 'Y b c V'],
    ['where all is gone', 'a b', '', 'a B', 'a B'],
  ])('takes lines that both changed as ours, %s', (_, base, theirs, ours, left) => {
    const given = [lines(base), lines(theirs), lines(ours)] as const
    expect(mergeLines(...given)).toBeUndefined()
    expect(mergeLinesAsOurs(...given)).toBe(lines(left))
  })

  it.each([
    [
      'the line above and one below',
      '- uses pg 16\n- in Porto',
      '- uses pg 17\n- in Lisbon\n- by hand',
      '- uses pg 16\n- in Braga',
      '- uses pg 17\n- in Braga\n- by hand',
    ],
    [
      'a line before it',
      '- lives in Porto',
      '- by hand\n- lives in Lisbon',
      '- lives in Braga\n- new',
      '- by hand\n- lives in Braga\n- new',
    ],
    ['what has nothing in common', '- tea', '- coffee\n- by hand', '- water', '- water'],
  ])('tells a line that both changed from %s', (_, base, theirs, ours, left) => {
    expect(mergeLinesAsOurs(base, theirs, ours)).toBe(left)
  })

  it('is the merge, where there is one', () => {
    fc.assert(
      fc.property(text, text, text, (base, theirs, ours) => {
        const merged = mergeLines(base, theirs, ours)
        const left = mergeLinesAsOurs(base, theirs, ours)
        if (merged !== undefined) expect(left).toBe(merged)
        // Where each took away what the other left, nothing is: that is no line of anybody's.
        const lines = left === '' ? [] : left.split('\n')
        for (const kept of lines) expect(`${theirs}\n${ours}\n${base}`.split('\n')).toContain(kept)
      }),
    )
  })

  it('gives each of two sections its own new lines', () => {
    const base = '# People\n\n- Ann\n\n# Tools\n\n- tsc'
    const theirs = '# People\n\n- Ann\n- Bob\n\n# Tools\n\n- tsc'
    const ours = '# People\n\n- Ann\n\n# Tools\n\n- tsc\n- biome'
    expect(mergeLines(base, theirs, ours)).toBe('# People\n\n- Ann\n- Bob\n\n# Tools\n\n- tsc\n- biome')
  })

  it('takes what only one of them changed', () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(mergeLines(base, base, other)).toBe(other)
        expect(mergeLines(base, other, base)).toBe(other)
        expect(mergeLines(base, other, other)).toBe(other)
      }),
    )
  })

  it('holds edits of both where they are far apart, and loses no line', () => {
    const line = fc.stringMatching(/^[a-z]{1,6}$/)
    const part = fc.array(line, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(part, part, part, part, (head, tail, newHead, newTail) => {
        const middle = ['# 1', '# 2', '# 3']
        const of = (first: readonly string[], last: readonly string[]): string =>
          [...first, ...middle, ...last].join('\n')
        expect(mergeLines(of(head, tail), of(newHead, tail), of(head, newTail))).toBe(of(newHead, newTail))
      }),
    )
  })

  it('merges again what is merged without a change', () => {
    fc.assert(
      fc.property(text, text, text, (base, theirs, ours) => {
        const merged = mergeLines(base, theirs, ours)
        fc.pre(merged !== undefined)
        expect(mergeLines(merged, merged, merged)).toBe(merged)
        expect(mergeLines(theirs, merged, theirs)).toBe(merged)
        for (const kept of merged.split('\n')) expect(`${theirs}\n${ours}`.split('\n')).toContain(kept)
      }),
    )
  })
})
