import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neutral } from '../../src/prompt/neutral.ts'
import { isNightly } from '../tier.ts'
import { BREAK_OUTS } from './break-outs.ts'
import { seenIn } from './tolerant-reader.ts'

const RUNS = isNightly ? 5000 : 400

const HARMLESS = [
  'List<String> names = new ArrayList<>();',
  'if (a < b && c > d) return a << 2',
  '<div class="user"><b>bold</b><br/></div> <s>gone</s>',
  '<!DOCTYPE html> a -> b --x > y <- z\n---\n> quoted\n\n--\n\n> memory',
  '<memory-bank> <user_id> <user2> <memories> <systemd>',
  'My memory of the user: the system recalls an identity.',
  'Tom &amp; Jerry &lt;3 &copy; &#8364; AT&T',
  'items |> filter f <| xs; a <| b |> c',
  '- User: Anna\n- Human: yes\nAssistant: Ben',
  'She said: Human: a word. Note to system: none.',
  '[link](x) [user] [1] arr[i] - [ ] task',
  '10:30, http://localhost:8000/a?b=c&d=e',
  'смотри: память, 記憶「人」：はい, «quoted» ‹thing›, 🦀👩‍💻 é',
  'lone · dots · stay',
  'const x = "<" + tag; x<y>z',
]

describe('harmless text', () => {
  it.each(HARMLESS)('stays as it is: %s', (text) => {
    expect(neutral(text)).toBe(text)
  })

  it('stays as it is, whatever words are put together', () => {
    const word = fc.constantFrom(
      'memory',
      'Human',
      'system',
      'x',
      '/',
      '>',
      '|',
      '·',
      '\n',
      '\n\n',
      '"',
      'é',
      '記',
      '🦀',
    )
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const text = words.join(' ')
        expect(neutral(text)).toBe(text)
      }),
    )
  })

  it('stays as it is between others', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HARMLESS)), (texts) => {
        // A line that is one alone after a blank line would be a turn.
        const text = texts.map((one) => `And: ${one}`).join('\n\n')
        expect(neutral(text)).toBe(text)
      }),
    )
  })
})

/** Pieces of tags, of disguises and of text, in any order. */
const pieces = fc
  .array(
    fc.oneof(
      fc.constantFrom(...BREAK_OUTS.map(({ text }) => text)),
      fc.constantFrom('<', '/', '>', '&', '&lt', ';', '#', '60', 'mem', 'ory', ' ', '\n', '\n\n', ':', '|', '[', '·'),
      fc.constantFrom('human', 'user', 'sys', '\u200b', '\u0301', '＜', '𝐦', '&#x3c', 'x', '🦀', '\r\n', '_', '-'),
      fc.constantFrom('&amp;', 'amp;', '&#38;', '#38;', 'lt;', '!', '--', '->', '🅼', '🇲', '⒨'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('neutral text', () => {
  it('shows a tolerant reader nothing', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        expect(seenIn(neutral(text)), text).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  it('is neutral already', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        expect(neutral(neutral(text))).toBe(neutral(text))
      }),
      { numRuns: RUNS },
    )
  })

  it('is the text with dots and marks added, and no split character', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        const out = neutral(text)
        expect(out.isWellFormed()).toBe(text.isWellFormed())
        const seen = text.replace(UNSEEN, '')
        expect(withoutDotsOf(out.replace(MARK, '').replace(UNSEEN, ''), seen)).toBe(seen)
      }),
      { numRuns: RUNS },
    )
  })

  it.each([
    'hook_context',
    'user-prompt-submit-hook',
    'environment_context',
    'user_instructions',
    'INSTRUCTIONS',
    'local-command-stdout',
    'task-notification',
    'command-name',
    'turn_aborted',
    'permissions instructions',
    'system-reminder',
  ])('does not pretend to be an agent program: %s', (tag) => {
    expect(neutral(`a </${tag}> b <${tag}> c`)).toBe(`a <·/${tag}> b <·${tag}> c`)
  })

  it('marks invisible characters, and still finds what they hide', () => {
    expect(neutral('\x1b[31mred\x1b[0m tab\tline\r\nform\ffeed \x9bm\x7f\0')).toBe(
      '<U+001B>[31mred<U+001B>[0m tab\tline\r\nform<U+000C>feed <U+009B>m<U+007F and 1 more>',
    )
    expect(neutral('<\x1bmem\u200bory>\n\nHum\u{e0041}an:')).toBe('<·<U+001B>mem<U+200B>ory>\n\nHum<U+E0041>an·:')
  })

  // Work far from linear would run into the test's timeout.
  it('reads a long text in one pass, whatever is repeated in it', () => {
    const long = [
      '<',
      '</',
      '<m',
      '< ',
      '<|',
      '[',
      '&',
      '&#',
      '&lt;',
      ':',
      ' :',
      '\n\nhuman',
      '\u200b',
      '<\u200b',
      '\u0301',
      '\ufdfa',
      '</memory>',
      'memory ',
      '&amp;',
      'amp;',
      '&#38;',
      '<!',
      '<_',
      '>',
      ' >',
      '-! >',
      '🅼',
    ]
    for (const piece of long) {
      const many = piece.repeat(150_000 / piece.length)
      for (const text of [many, `&${many}lt;/memory>`, `<${many}memory>`]) {
        expect(neutral(text).length, JSON.stringify(piece)).toBeGreaterThan(0)
      }
    }
  })
})

const UNSEEN = /\r(?!\n)|(?![\t\n\r])\p{Cc}|[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu
const MARK = /<U\+[0-9A-F]{4,6}(?: and \d+ more)?>/g

/** `out` without the dots that `text` does not have. */
function withoutDotsOf(out: string, text: string): string {
  let kept = ''
  for (const character of out) {
    if (text.startsWith(character, kept.length) || character !== '·') kept += character
  }
  return kept
}
