import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import { type DiffLine, hunksOf, lineDiff } from './line-diff.ts'

const MARKS = { same: ' ', removed: '-', added: '+' } as const

function shown(lines: readonly DiffLine[]): string[] {
  return lines.map(({ kind, text }) => MARKS[kind] + text)
}

function sideOf(lines: readonly DiffLine[], other: DiffLine['kind']): string {
  return lines
    .filter(({ kind }) => kind !== other)
    .map(({ text }) => text)
    .join('\n')
}

/** The length of the longest common subsequence, by the table that everyone writes first. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const left of a) {
    const next = [0]
    for (const [index, right] of b.entries()) {
      next.push(left === right ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const line = fc.constantFrom('a', 'b', 'c', '', '  a')
const text = fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n'))

describe('a diff of lines', () => {
  it.each([
    ['nothing', '', '', []],
    ['a first text', '', 'a\nb', ['+a', '+b']],
    ['an emptied text', 'a\nb', '', ['-a', '-b']],
    ['one line of three', 'a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['what was removed before what was added', 'a\nb\nz', 'x\ny\nz', ['-a', '-b', '+x', '+y', ' z']],
    ['a doubled line', 'a', 'a\na', [' a', '+a']],
    ['an empty line', 'a\nb', 'a\n\nb', [' a', '+', ' b']],
    ['the ends that stay', 'a\nb\nc\nd', 'a\nc\nd', [' a', '-b', ' c', ' d']],
    ['a carriage return', 'a\r\nb', 'a\nb', ['-a\r', '+a', ' b']],
  ])('tells %s', (_, before, after, expected) => {
    expect(shown(lineDiff(before, after))).toEqual(expected)
  })

  it('gives both texts back, with as few edits as there can be', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after)
        expect(sideOf(lines, 'removed')).toBe(after)
        expect(sideOf(lines, 'added')).toBe(before)
        const [old, now] = [before, after].map((side) => (side === '' ? [] : side.split('\n')))
        const fewest = (old?.length ?? 0) + (now?.length ?? 0) - 2 * commonLines(old ?? [], now ?? [])
        expect(lines.filter(({ kind }) => kind !== 'same')).toHaveLength(fewest)
      }),
      { numRuns: isNightly ? 10_000 : 600 },
    )
  })

  it('puts no removed line behind an added one', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(shown(lineDiff(before, after)).join('\n')).not.toMatch(/^\+.*\n-/m)
      }),
    )
  })

  it('finds a few edits in a long text', () => {
    const long = Array.from({ length: 50_000 }, (_, index) => `line ${index}`)
    const edited = long.flatMap((each, index) => (index % 5000 === 7 ? [`${each} changed`, 'new'] : [each]))
    const lines = lineDiff(long.join('\n'), edited.join('\n'))
    expect(lines.filter(({ kind }) => kind === 'removed')).toHaveLength(10)
    expect(lines.filter(({ kind }) => kind === 'added')).toHaveLength(20)
  })

  it('takes two long texts without a common line for one that was replaced, and is right all the same', () => {
    const lines = (word: string): string => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join('\n')
    const [before, after] = [`head\n${lines('old')}\nend`, `head\n${lines('new')}\nend`]
    const diff = lineDiff(before, after)
    expect(sideOf(diff, 'removed')).toBe(after)
    expect(sideOf(diff, 'added')).toBe(before)
    expect([diff[0]?.kind, diff.at(-1)?.kind]).toEqual(['same', 'same'])
  })
})

describe('hunks', () => {
  const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
  const after = before.map((each, index) => (index === 4 || index === 25 ? `${each}!` : each))

  it('hold what changed with what stands around it', () => {
    const hunks = hunksOf(lineDiff(before.join('\n'), after.join('\n')), 1)
    expect(hunks.map((hunk) => [hunk.before, hunk.after, ...shown(hunk.lines)])).toEqual([
      [4, 4, ' line 4', '-line 5', '+line 5!', ' line 6'],
      [25, 25, ' line 25', '-line 26', '+line 26!', ' line 27'],
    ])
  })

  it('are one where the lines around them touch', () => {
    expect(hunksOf(lineDiff(before.join('\n'), after.join('\n')), 9)).toHaveLength(2)
    expect(hunksOf(lineDiff(before.join('\n'), after.join('\n')), 10)).toHaveLength(1)
  })

  it('begin at line 0 of an empty text, and are none where nothing changed', () => {
    expect(hunksOf(lineDiff('', 'a'))).toEqual([{ before: 0, after: 1, lines: [{ kind: 'added', text: 'a' }] }])
    expect(hunksOf(lineDiff('a', 'a'))).toEqual([])
  })

  it('have every changed line once, in order', () => {
    fc.assert(
      fc.property(text, text, fc.nat(3), (from, to, context) => {
        const diff = lineDiff(from, to)
        const changed = (lines: readonly DiffLine[]): readonly DiffLine[] => lines.filter(({ kind }) => kind !== 'same')
        expect(changed(hunksOf(diff, context).flatMap(({ lines }) => lines))).toEqual(changed(diff))
      }),
    )
  })
})
