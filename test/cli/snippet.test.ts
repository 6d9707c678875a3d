/** Which lines of a text are shown for a hit. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { snippet } from '../../src/cli/snippet.ts'
import { entryOf, hitOf } from './found-sample.ts'

const SIZE = { width: 20, mostLines: 3 }

/** The lines as they are shown, with what is left out. */
function shown(content: string, ...words: string[]): string[] {
  const { highlights } = hitOf(entryOf(content), words)
  return snippet(content, highlights, SIZE).map(
    ({ range: [start, end], cutBefore, cutAfter }) =>
      `${cutBefore ? '…' : ''}${content.slice(start, end)}${cutAfter ? '…' : ''}`,
  )
}

const TEN = Array.from({ length: 10 }, (_, n) => `line ${n}`).join('\n')

describe('a snippet', () => {
  it('of a short text is the text, without blank lines', () => {
    expect(shown('one\n\n  two  \r\nthree\nfour\n', 'two')).toEqual(['one', 'two', 'three', 'four'])
    expect(shown('')).toEqual([])
    expect(shown('\n \n')).toEqual([])
  })

  it('of a long one is the lines around what was found', () => {
    expect(shown(TEN, '5')).toEqual(['…line 5', 'line 6', 'line 7…'])
    expect(shown(TEN, '0')).toEqual(['line 0', 'line 1', 'line 2…'])
    expect(shown(TEN, '9')).toEqual(['…line 7', 'line 8', 'line 9'])
  })

  it('begins at the beginning where no word stands in the text', () => {
    expect(shown(TEN)).toEqual(['line 0', 'line 1', 'line 2…'])
  })

  it('prefers lines with more of the words, and then those with other ones', () => {
    const text = 'a\nb\na b\nx\na\ny\nc\nz'
    expect(shown(text, 'a', 'b', 'c')).toEqual(['…a b', 'x…', 'c…'])
  })

  it('breaks long lines at blanks', () => {
    expect(shown('one two three four five six seven eight nine', 'nine')).toEqual([
      'one two three four',
      'five six seven eight',
      'nine',
    ])
  })

  it('breaks a line without blanks anywhere but within a character', () => {
    const [line = ''] = shown(`a${'😀'.repeat(60)}`)
    expect(line).toBe(`a${'😀'.repeat(9)}`)
    expect(line.isWellFormed()).toBe(true)
  })

  // Work far from linear would run into the test's timeout.
  it('handles a million characters without a space', () => {
    expect(shown(`${'x'.repeat(1_000_000)}needle`, 'needle')).toHaveLength(3)
  })

  it('is of few, short lines of the text, in order, whatever the text', () => {
    const text = fc.array(fc.constantFrom('a', 'bb', ' ', '\n', '\r\n', '\t', '😀', '日本', '-'.repeat(30)), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(text, (parts) => {
        const content = parts.join('')
        const { highlights } = hitOf(entryOf(content), ['bb', '本'])
        const lines = snippet(content, highlights, SIZE)
        expect(lines.length).toBeLessThanOrEqual(SIZE.mostLines + 1)
        let before = 0
        for (const { range } of lines) {
          const [start, end] = range
          expect([start >= before, end > start, end - start <= SIZE.width + 1, end <= content.length]).not.toContain(
            false,
          )
          expect(content.slice(start, end)).toMatch(/^\S(.*\S)?$/)
          expect(content.slice(start, end).isWellFormed()).toBe(true)
          before = end
        }
        expect(lines.length > 0).toBe(content.trim() !== '')
      }),
      { numRuns: 500 },
    )
  })
})
