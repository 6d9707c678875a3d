/**
 * The fields of a reply that is no object: keys and values without braces, tags (`<history_entry>…</history_entry>`), sections with a
 * heading, lines with a label. A tag is closed by its own name. A field in a tag, in quotes or in a fence that is never closed was cut;
 * one that ends with the text may have been, or have words to the reader behind it. Time is proportional to the length.
 */
import { type FieldName, fieldCalled, QUOTED_KEY } from './field-names.ts'
import { type Loose, looseMembers } from './loose-json.ts'
import { isQuote, looseString } from './loose-string.ts'
import { certaintyOf, FIELD } from './reply-certainty.ts'
import { DOUBTS, type Doubt, doubted, type Fields, fieldsIn } from './reply-fields.ts'
import { fencesIn, hasWordsBehind, withoutFence } from './section-end.ts'
import { behindThinking } from './thinking.ts'

/** What may stand between a closing tag and the next field, or the end. */
const BETWEEN_TAGS = /^(?:\s|```|<[/|][^<>\n]{1,60}>)*$/

interface Place {
  readonly name: FieldName
  readonly start: number
  /** Where its text begins. */
  readonly from: number
  readonly isTag: boolean
  /** What a label begins with, or what a tag is called that has the name in it. */
  readonly form: string
  /** Of a tag: where its text ends, and what closes it. */
  readonly closing?: { readonly start: number; readonly end: number; readonly sign: string }
}

interface Section {
  readonly text: string
  readonly doubt?: Doubt | undefined
}

/** Keys and values, without the brace before them. Not objects: a schema describes its fields so. */
export function fieldsInMembers(reply: string, wasCut: boolean | undefined): readonly Fields[] {
  const text = behindThinking(reply, QUOTED_KEY)
  const start = text.search(QUOTED_KEY)
  // A tag or a label comes first: the key stands in its text.
  if (FIELD.test(text.slice(0, Math.max(start, 0)))) return []
  const { value, end } = start < 0 ? { end: 0 } : looseMembers(text, start)
  if (!value) return []
  const members = value.members.filter(([, member]) => member.is !== 'object')
  const found = fieldsIn({ ...value, members }, () => [])
  const place = { value, text, start, end, opening: '{', wasEscaped: false, wasCut, isLabelled: true } as const
  const certainty = certaintyOf(place)
  const doubt = QUOTED_KEY.test(text.slice(end)) ? DOUBTS.quote : certainty
  return doubt === 'certain' || doubt === 'settled' ? found : found.map((one) => doubted(one, doubt))
}

/** Where nobody says that the reply is whole, what ends with it may not be. */
export function fieldsInSections(reply: string, wasCut: boolean | undefined): readonly Fields[] {
  const text = behindThinking(reply, FIELD)
  const places = placesOf(text)
  if (places.length === 0) return []
  const before = text.slice(0, places[0]?.start ?? 0)
  const isFenced = fencesIn(before) % 2 === 1
  // An object with an end would have been read as one.
  const isOpen = wasCut !== false || before.trimEnd().endsWith('{')
  const sections: { [name in FieldName]?: Section } = {}
  for (const [index, place] of places.entries()) {
    const next = places[index + 1]
    sections[place.name] ??= place.isTag
      ? taggedText(text, place, next?.start, wasCut === true && !next)
      : sectionText(text.slice(place.from, next?.start), isFenced && !next, isOpen && !next)
  }
  const { historyEntry, memoryUpdate } = sections
  const fields: Fields = {
    ...(historyEntry ? { historyEntry: textOf(historyEntry) } : {}),
    ...(memoryUpdate ? { memoryUpdate: textOf(memoryUpdate) } : {}),
  }
  const doubt = wasCut === true && memoryUpdate?.doubt ? DOUBTS.cut : memoryUpdate?.doubt
  if (doubt) return [doubted(fields, doubt)]
  return [areAlike(places) ? fields : doubted(fields, DOUBTS.around)]
}

/** In order; none in the text of a tag. */
function placesOf(text: string): Place[] {
  const places: Place[] = []
  const field = new RegExp(FIELD, 'gim')
  for (let match = field.exec(text); match; match = field.exec(text)) {
    const [whole, tag, inTag, mark, inLabel] = match
    const spelled = inTag ?? inLabel ?? ''
    const name = fieldCalled(spelled)
    if (name === undefined) continue
    const from = match.index + whole.length
    const isTag = mark === undefined
    const place = { name, start: match.index, from, isTag, form: mark ?? tag ?? '' }
    // Only where it can matter, since it may look through all of the text.
    const isFirst = !places.some((other) => other.name === name)
    const closing = isFirst && isTag ? closingOf(text, from, tag ?? spelled) : undefined
    places.push(closing ? { ...place, closing } : place)
    field.lastIndex = closing?.end ?? from
  }
  return places
}

function closingOf(text: string, from: number, tag: string): Place['closing'] {
  const pattern = new RegExp(`</${tag}>`, 'gi')
  pattern.lastIndex = from
  const match = pattern.exec(text)
  return match ? { start: match.index, end: pattern.lastIndex, sign: match[0] } : undefined
}

/** A field that is there twice, in another form than the other one, or never closed, may stand in the text of that one. */
function areAlike(places: readonly Place[]): boolean {
  const names = new Set(places.map(({ name }) => name))
  const isLikeFirst = ({ isTag, form, closing }: Place): boolean =>
    isTag === places[0]?.isTag && form === places[0].form && (!isTag || closing !== undefined)
  return names.size === places.length && places.every(isLikeFirst)
}

function taggedText(text: string, { from, form, closing }: Place, next: number | undefined, isOpen: boolean): Section {
  const { text: own, doubt } = withoutFence(text.slice(from, closing?.start ?? next).trim())
  if (!closing) return { text: own, doubt: DOUBTS.unclosed }
  const behind = text.slice(closing.end, next)
  // The other field has the same one where a tag only holds the name.
  const isAgain = (form === '' ? text.slice(closing.end) : behind).includes(closing.sign)
  const isLast = !isOpen && !isAgain && BETWEEN_TAGS.test(behind)
  return { text: own, doubt: doubt ?? (isLast ? undefined : DOUBTS.goesOn) }
}

function sectionText(section: string, isInFence: boolean, isOpen: boolean): Section {
  const start = section.length - section.trimStart().length
  if (isQuote(section[start]) && !section.startsWith('```', start)) {
    const { text, end, cut } = looseString(section, start, 'alone')
    const isAlone = /^[ \t]*,?\s*(?:\n```)?\s*$/.test(section.slice(end))
    const doubt = cut ? DOUBTS.unclosed : isAlone ? undefined : DOUBTS.quote
    return { text: isAlone ? text : section.trim(), doubt: doubt ?? (isOpen ? DOUBTS.open : undefined) }
  }
  // The line below a heading of two lines is no text.
  const own = withoutTokens(section.replace(/^\s{0,4}[-=]{3,}[ \t]*\r?\n/, ''))
  const body = isInFence ? own.replace(/\s?```$/, '') : own
  const whole = withoutBlockMark(body).trim()
  const { text, doubt } = withoutFence(whole)
  if (doubt || (isInFence && body === own)) return { text, doubt: doubt ?? DOUBTS.unclosed }
  // A fence says itself where the text ends.
  if (!isInFence && text === whole && hasWordsBehind(text)) return { text, doubt: DOUBTS.goesOn }
  return { text, doubt: isOpen ? DOUBTS.open : undefined }
}

function textOf({ text }: Section): Loose {
  return { is: 'text', text, cut: false, doubtful: false }
}

/** `|` and `>` of YAML, with the indentation of what they stand for. */
function withoutBlockMark(section: string): string {
  const [mark] = /^[ \t]*[|>][+-]?[ \t]*\r?\n/.exec(section) ?? []
  if (mark === undefined) return section
  const lines = section.slice(mark.length).split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const indent = indents.reduce((least, one) => Math.min(least, one), Number.MAX_SAFE_INTEGER)
  return lines.map((line) => line.slice(indent)).join('\n')
}

/** The tokens that end a turn, where a server lets them through. */
function withoutTokens(section: string): string {
  let text = section.trimEnd()
  for (;;) {
    const [token] = /(?:<\|[^|<>\s]{1,40}\|>|<\/s>|\[\/INST\])$/.exec(text.slice(-50)) ?? []
    if (token === undefined) return text
    text = text.slice(0, -token.length).trimEnd()
  }
}
