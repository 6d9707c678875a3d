/**
 * Text of a memory made harmless for a prompt: nothing in it opens or closes a block of ours, or looks to a model like the
 * beginning of a turn, a tool call or a special token. Where something does, a dot stands in it: `<·/memory>`, `Human·:`.
 * A dot, because an escape that can be undone (`&lt;`, `<\/`) is a tag again for who undoes it. Everything else stays byte for
 * byte. Time is proportional to the length: every look ahead ends at the next bracket, every look back at the last colon.
 */
import { decoded, type Folded, fold } from './folded.ts'
import { bitOf, lettersOf } from './look-alikes.ts'

const DOT = '·'

const BLANK = 0x20
const LESS_THAN = 0x3c
const SQUARE = 0x5b
const COLON = 0x3a
const BAR = 0x7c
const NEWLINE = 0x0a

type Signs = ReadonlySet<number>
const SLASH: Signs = codesOf('/')
const BEFORE_NAMES: Signs = codesOf('/\\!?')
const JOINERS: Signs = codesOf('_-.')
const MARKDOWN: Signs = codesOf('#*_>')

/** In tags, in any case. Underscores, dashes and dots do not count: `tool_call`, `tool-call`. Not `s`, which is HTML. */
const TAG_NAMES = wordsByLength([
  'memory recall identity recap',
  'system systemprompt systemmessage systemreminder systeminstruction systeminstructions sys',
  'user usermessage assistant assistantmessage human developer',
  'tool tools toolcall toolcalls tooluse toolcode toolresult toolresults toolresponse tooloutput tooloutputs',
  'function functions functioncall functioncalls functionresult functionresults functionresponse invoke parameter',
  'think thinking startofturn endofturn inst bos eos',
])

/** Between bars, where blanks stand in them; without blanks anything between bars is a token: `<|im_start|>`. */
const TOKEN_NAMES = wordsByLength([
  'system user assistant human developer tool function imstart imend imsep endoftext startoftext beginoftext endofprompt',
  'eotid eomid startheaderid endheaderid pythontag beginofsentence endofsentence start end message channel return call',
])

const SQUARE_NAMES = wordsByLength(['inst systemprompt availabletools toolcalls toolresults toolcontent'])

/** Before a colon, after a blank line. */
const ROLES = wordsByLength(['human assistant system user'])

const LONGEST = 24
const LONGEST_ROLE = 9

export function neutral(text: string): string {
  if (!/[<[&:\u0080-\uffff]/.test(text)) return text
  const folded = fold(text)
  const places = new Set<number>()
  // Both ways of reading count: a reference may hide the sign that ends a name, or be one.
  for (const reading of [folded, decoded(folded)]) if (reading) findPlaces(text, reading, places)
  let out = ''
  let from = 0
  for (const place of [...places].sort((a, b) => a - b)) {
    out += text.slice(from, place) + DOT
    from = place
  }
  return out + text.slice(from)
}

function findPlaces(text: string, { codes, starts }: Folded, places: Set<number>): void {
  for (let at = 0; at < codes.length; at++) {
    switch (codes[at]) {
      case LESS_THAN:
        if (opensTag(codes, at + 1)) places.add(afterCharacter(text, starts[at]))
        break
      case SQUARE:
        if (beginsWithName(codes, skip(codes, at + 1, SLASH), SQUARE_NAMES))
          places.add(afterCharacter(text, starts[at]))
        break
      case COLON:
        if (endsRole(codes, at)) places.add(starts[at] ?? 0)
        break
    }
  }
}

function afterCharacter(text: string, start = 0): number {
  return start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)
}

function opensTag(codes: Int32Array, from: number): boolean {
  const at = skip(codes, from, BEFORE_NAMES)
  return codes[at] === BAR ? isToken(codes, at + 1) : beginsWithName(codes, at, TAG_NAMES)
}

/** Past blanks and the signs given. */
function skip(codes: Int32Array, from: number, signs: Signs): number {
  let at = from
  while (at < codes.length && (isBlank(codes[at]) || signs.has(codes[at] ?? 0))) at++
  return at
}

/** Whether a name stands here that ends as names end. Blanks inside it do not save it, a namespace before it neither. */
function beginsWithName(codes: Int32Array, from: number, names: Words): boolean {
  let letters: number[] = []
  let isSpaced = false
  for (let at = from; ; at++) {
    const code = codes[at]
    if (isBlank(code)) {
      if (isOneOf(names, letters)) return true
      if (letters.length > LONGEST) return false
      isSpaced = true
    } else if (code === COLON && !isSpaced) {
      if (isOneOf(names, letters)) return true
      letters = []
    } else if (isNameCharacter(code)) {
      letters.push(lettersOf(code ?? 0))
    } else if (!JOINERS.has(code ?? 0) || letters.length === 0) {
      return isOneOf(names, letters)
    }
  }
}

/** What stands between bars. */
function isToken(codes: Int32Array, from: number): boolean {
  const letters: number[] = []
  let isSpaced = false
  for (let at = from; ; at++) {
    const code = codes[at]
    if (isBlank(code)) isSpaced = true
    else if (isNameCharacter(code)) letters.push(lettersOf(code ?? 0))
    else if (!JOINERS.has(code ?? 0)) {
      const isWhole = code === BAR && !isSpaced && letters.length > 0
      return isWhole || isOneOf(TOKEN_NAMES, letters) || isOneOf(TAG_NAMES, letters)
    }
    if (isSpaced && letters.length > LONGEST) return false
  }
}

/** Whether the line up to this colon is a role and nothing else but marks of Markdown, below a blank line or at the start. */
function endsRole(codes: Int32Array, colon: number): boolean {
  const letters: number[] = []
  let at = colon - 1
  for (; at >= 0 && codes[at] !== NEWLINE; at--) {
    const code = codes[at]
    if (isNameCharacter(code)) letters.unshift(lettersOf(code ?? 0))
    else if (!isBlank(code) && !MARKDOWN.has(code ?? 0)) return false
    if (letters.length > LONGEST_ROLE) return false
  }
  if (!isOneOf(ROLES, letters)) return false
  do at--
  while (codes[at] === BLANK)
  return at < 0 || codes[at] === NEWLINE
}

function isBlank(code: number | undefined): boolean {
  return code === BLANK || code === NEWLINE
}

/** What may be read as a letter, and digits. A letter that looks like none of ours ends a name, as a sign does. */
function isNameCharacter(code: number | undefined): boolean {
  return code !== undefined && ((code >= 0x30 && code <= 0x39) || lettersOf(code) !== 0)
}

function codesOf(signs: string): Signs {
  return new Set([...signs].map((sign) => sign.charCodeAt(0)))
}

/** Words by their length, each as the bits of its letters. */
type Words = ReadonlyMap<number, readonly (readonly number[])[]>

function wordsByLength(lists: readonly string[]): Words {
  const words = new Map<number, number[][]>()
  for (const word of lists.join(' ').split(' ')) {
    const bits = [...word].map(bitOf)
    words.set(bits.length, [...(words.get(bits.length) ?? []), bits])
  }
  return words
}

function isOneOf(words: Words, letters: readonly number[]): boolean {
  const ofLength = words.get(letters.length)
  return ofLength?.some((word) => word.every((bit, index) => ((letters[index] ?? 0) & bit) !== 0)) ?? false
}
