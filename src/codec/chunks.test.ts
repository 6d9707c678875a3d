import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import { chunksOf, firstValue, textOf } from './chunks.ts'
import { splitFences } from './fences.ts'

const anything = fc
  .array(
    fc.oneof(
      fc.constantFrom('---', '--- ', '...', '# c', 'a: 1', '"a": 1', '  more', '- item', '\t', '\uFEFF', '', ' ', '\r'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
  )
  .chain((lines) => fc.constantFrom('\n', '\r\n', '\r').map((eol) => lines.join(eol)))

test('chunks rejoin byte for byte, whatever the text', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const { chunks, foot } = chunksOf(text)
      expect(textOf(chunks) + foot).toBe(text)
    }),
    { numRuns: isNightly ? 10_000 : 600 },
  )
})

test('fences rejoin byte for byte, whatever the text', () => {
  fc.assert(
    fc.property(anything, (text) => {
      for (const whole of [text, `---\n${text}`, `\uFEFF---\r\n${text}\n---\n${text}`]) {
        const fenced = splitFences(whole)
        if (!fenced) continue
        expect(fenced.opening + fenced.block + fenced.closing + fenced.gap + fenced.body).toBe(whole)
      }
    }),
    { numRuns: isNightly ? 10_000 : 600 },
  )
})

test('a comment belongs to the key below it, blank lines to the value above them', () => {
  const { chunks, foot } = chunksOf('# top\na: 1\n\n# about b\n\n# more\nb:\n- x\n# in b\n- y\n\n# end\n')
  expect(chunks).toEqual([
    { lead: '# top\n', key: 'a', body: 'a: 1\n', tail: '\n', line: 1 },
    { lead: '# about b\n\n# more\n', key: 'b', body: 'b:\n- x\n# in b\n- y\n', tail: '\n', line: 6 },
  ])
  expect(foot).toBe('# end\n')
})

test.each([
  ['---\nx', undefined],
  ['--- x\n---\n', undefined],
  ['----\n---\n', undefined],
  [' ---\n---\n', undefined],
  ['---\n...\n', undefined],
  ['---\n---', { opening: '---\n', block: '', closing: '---', gap: '', body: '' }],
  ['---\na: 1\n---\nx', { opening: '---\n', block: 'a: 1\n', closing: '---\n', gap: '', body: 'x' }],
  [
    '\uFEFF--- \r\na\r\n---\t\r\n\r\nx',
    { opening: '\uFEFF--- \r\n', block: 'a\r\n', closing: '---\t\r\n', gap: '\r\n', body: 'x' },
  ],
  ['---\n--- x\n---\n\n\nx', { opening: '---\n', block: '--- x\n', closing: '---\n', gap: '\n', body: '\nx' }],
])('front matter is what stands between two fences: %j', (text, fenced) => {
  expect(splitFences(text)).toEqual(fenced)
})

test.each([
  ['k: v # c', 'v', ' # c'],
  ['k: v#c', 'v#c', ''],
  ['k: "a # b"  # c', '"a # b"', '  # c'],
  ["k: 'it''s # b' # c", "'it''s # b'", ' # c'],
  ["k: it's # c", "it's", ' # c'],
  ['k: [a, "# b"] # c', '[a, "# b"]', ' # c'],
  ['k: # c', '', ' # c'],
  ['"k # x": v', 'v', ''],
  ['k: "open # c', '"open # c', ''],
])('the comment after a value is found: %s', (line, value, comment) => {
  const [chunk] = chunksOf(`${line}\n`).chunks
  expect(chunk && firstValue(chunk)).toEqual({ value, comment })
})
