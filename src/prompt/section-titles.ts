/**
 * The titles of the sections of a prompt, and how a text is kept from having one of them: where the letters of a line spell a title,
 * whatever signs stand between and whatever alphabet they are of, a dot stands before it, as neutral.ts does with tags.
 */
import { fold } from './folded.ts'
import { bitOf, lettersOf } from './look-alikes.ts'

export const TITLES = {
  memory: 'Current Long-term Memory',
  previous: 'Already Condensed',
  conversation: 'Conversation to Process',
  reply: 'Your Reply',
} as const

const NEWLINE = 0x0a
const BLANK = 0x20
const DOT = '·'

const LETTERS: readonly (readonly number[])[] = Object.values(TITLES).map((title) =>
  [...title.toLowerCase().replace(/[^a-z]/g, '')].map(bitOf),
)
const LONGEST = Math.max(...LETTERS.map(({ length }) => length))

/** The same text but for the dots: as many lines, each in its place. */
export function withoutTitles(text: string): string {
  const { codes, starts } = fold(text)
  let out = ''
  let from = 0
  let letters: number[] = []
  let first: number | undefined
  for (let at = 0; at <= codes.length; at++) {
    const code = codes[at] ?? NEWLINE
    if (code === NEWLINE) {
      if (first !== undefined && isTitle(letters)) {
        out += text.slice(from, first) + DOT
        from = first
      }
      letters = []
      first = undefined
      continue
    }
    if (code !== BLANK) first ??= starts[at]
    const bits = lettersOf(code)
    if (bits !== 0 && letters.length <= LONGEST) letters.push(bits)
  }
  return out + text.slice(from)
}

function isTitle(letters: readonly number[]): boolean {
  return LETTERS.some(
    (title) => title.length === letters.length && title.every((bit, index) => ((letters[index] ?? 0) & bit) !== 0),
  )
}
