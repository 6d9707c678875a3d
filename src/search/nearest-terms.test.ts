import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainAnalyzer } from '../../test/search/plain-analyzer.ts'
import { editDistance, nearestTerms } from './nearest-terms.ts'
import { SearchIndex } from './search-index.ts'

function indexOf(...texts: string[]): SearchIndex {
  const index = new SearchIndex(plainAnalyzer, { fields: ['text'], columns: [] })
  for (const [n, text] of texts.entries()) index.put({ id: String(n), texts: [text], columns: [], stored: '' })
  return index
}

/** Every way of one edit, over and over: slow, and plain to see. */
function reachable(from: string, to: string, edits: number): boolean {
  if (from === to) return true
  if (edits === 0) return false
  for (let at = 0; at <= from.length; at++) {
    const [left, right] = [from.slice(0, at), from.slice(at)]
    const ways = [left + right.slice(1), left + (right[1] ?? '') + (right[0] ?? '') + right.slice(2)]
    for (const letter of new Set(to)) ways.push(left + letter + right, left + letter + right.slice(1))
    if (ways.some((way) => reachable(way, to, edits - 1))) return true
  }
  return false
}

describe('the nearest terms', () => {
  test('come by edits, then by how many documents have them, then by themselves', () => {
    const index = indexOf('deploy deplot', 'deploy deplox', 'deplyo employ deploy', 'deplox depl')
    expect(nearestTerms([index], 'deploi', 10)).toEqual(['deploy', 'deplox', 'deplot', 'depl', 'deplyo'])
    expect(nearestTerms([index], 'deploi', 2)).toEqual(['deploy', 'deplox'])
    expect(nearestTerms([index], 'deploi', 0)).toEqual([])
  })

  test('are counted over all indexes, frozen and live, and leave out what is removed', () => {
    const first = indexOf('smoke', 'smoky')
    const opened = SearchIndex.open(indexOf('smoky', 'smock').save(''), plainAnalyzer, {
      fields: ['text'],
      columns: [],
    })
    if ('problem' in opened) throw new Error(opened.problem)
    expect(nearestTerms([first, opened.index], 'smokx', 5)).toEqual(['smoky', 'smoke', 'smock'])
    opened.index.remove('1')
    expect(nearestTerms([first, opened.index], 'smokx', 5)).toEqual(['smoky', 'smoke'])
  })

  test.each([
    ['the term itself', 'word', 'word'],
    ['a term that begins otherwise', 'deploy', 'employ'],
    ['anything for one letter', 'a', 'b'],
    ['more than one edit of three letters', 'cat', 'cost'],
    ['nothing', '', 'a'],
    ['half a character', '\ud83d', 'a'],
    ['a very long word', 'x'.repeat(100_000), 'x'.repeat(99_999)],
  ])('are not %s', (_, term, text) => {
    expect(nearestTerms([indexOf(text)], term, 5)).toEqual([])
  })

  test('have the edit distance that trying all edits gives', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance([...a], [...b], 2)
        // Letters that were swapped may be edited again there, and here not: two edits of two swaps in a row.
        if (distance <= 2) expect(reachable(a, b, distance)).toBe(true)
        if (distance > 0) expect(reachable(a, b, Math.min(distance, 2) - 1)).toBe(false)
      }),
      { numRuns: 500 },
    )
  })
})
