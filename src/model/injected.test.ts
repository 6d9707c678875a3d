import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCKS, blankInjected, block, withoutInjected } from './injected.ts'

const recall = block('recall', '## Boiler\n\nIt was serviced in May.')
const memory = block('memory', '# About\n\nLikes tea.')
const quoted = (text: string, mark: string): string => text.replace(/^/gm, mark)

describe('withoutInjected', () => {
  it.each([
    ['a block alone', recall, ''],
    ['between lines', `Before.\n${recall}\nAfter.`, 'Before.\nAfter.'],
    ['between paragraphs', `Before.\n\n${recall}\n\nAfter.`, 'Before.\n\n\nAfter.'],
    ['both blocks', `${memory}\n${recall}\nHello`, 'Hello'],
    ['the same block twice', `${recall}\nHello\n${recall}`, 'Hello\n'],
    ['with CRLF', `Before.\r\n${recall.replaceAll('\n', '\r\n')}\r\nAfter.`, 'Before.\r\nAfter.'],
    ['indented', `Before.\n${quoted(recall, '    ')}\nAfter.`, 'Before.\nAfter.'],
    ['quoted', `Before.\n${quoted(recall, '> ')}\nAfter.`, 'Before.\nAfter.'],
    ['quoted twice', `Before.\n${quoted(recall, '> > ')}\nAfter.`, 'Before.\nAfter.'],
    ['on one line', `Before. ${recall.replaceAll('\n', ' ')} After.`, 'Before.  After.'],
    ['wrapped', `${recall.replaceAll(' ', '\n')}\nAfter.`, 'After.'],
    ['cut at its end', `Before.\n${recall.slice(0, -12)}`, 'Before.\n'],
    ['cut, with a whole one after it', `${recall.slice(0, -12)}\n${memory}\nAfter.`, 'After.'],
    ['with the other closing tag inside', block('recall', 'a </memory> b'), ''],
  ])('takes out a block: %s', (_, text, rest) => {
    expect(withoutInjected(text)).toBe(rest)
  })

  it.each([
    ['a tag of the same name', 'Write <recall> around it, then </recall>.'],
    ['a closing tag alone', 'What does </memory> mean?'],
    ['the other first line', `<memory>\n${BLOCKS.recall}\n</memory>`],
    ['a first line that differs', '<recall>\nFrom your memory, found for that message.\n</recall>'],
    ['the first line alone', BLOCKS.recall],
    ['another tag', `<context>\n${BLOCKS.recall}\n</context>`],
    ['nothing', ''],
  ])("leaves a person's text: %s", (_, text) => {
    expect(withoutInjected(text)).toBe(text)
    expect(blankInjected(text)).toBe(text)
  })

  // Work far from linear would run into the test's timeout.
  it('reads a hostile text of half a million characters in one pass', () => {
    const opening = `<recall>\n${BLOCKS.recall}\n`
    const hostile = [
      opening.repeat(6000),
      '<recall>'.repeat(70_000),
      `<recall>${' >'.repeat(250_000)}`,
      '<recall> From your memory, '.repeat(20_000),
      `${' '.repeat(150_000)}${recall}${' '.repeat(150_000)}`.repeat(2),
    ]
    for (const text of hostile) expect(blankInjected(text)).toHaveLength(text.length)
    for (const text of hostile) expect(withoutInjected(text).length).toBeLessThanOrEqual(text.length)
  })
})

describe('blankInjected', () => {
  it('leaves every other character and every end of line in its place', () => {
    const text = `Été 🎉.\r\n${quoted(recall, '> ')}\r\nAfter 🎉.`
    const blanked = blankInjected(text)
    expect(blanked).toHaveLength(text.length)
    expect(blanked).not.toContain('Boiler')
    expect(blanked.indexOf('After')).toBe(text.indexOf('After'))
    expect(blanked.replace(/[^\r\n]/g, '')).toBe(text.replace(/[^\r\n]/g, ''))
  })

  it('agrees with withoutInjected on what is a block, for any pieces in any order', () => {
    const piece = fc.constantFrom(
      recall,
      memory,
      '<recall>',
      '</recall>',
      '</memory>',
      BLOCKS.recall,
      'own',
      '\n',
      '> ',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join(' ')
        const blanked = blankInjected(text)
        expect(blanked).toHaveLength(text.length)
        expect(blanked.replace(/[\s>]/g, '')).toBe(withoutInjected(text).replace(/[\s>]/g, ''))
      }),
    )
  })
})
