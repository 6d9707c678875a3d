/**
 * The fields of a reply that is no object: keys and values without braces, tags (`<history_entry>…</history_entry>`), sections with a
 * heading, lines with a label. A tag is closed by its own name. A field in a tag, in quotes or in a fence that is never closed was cut;
 * one that ends with the text may have been. Time is proportional to the length.
 */
import { type FieldName, fieldCalled, QUOTED_KEY } from './field-names.ts'
import { type Loose, looseMembers } from './loose-json.ts'
import { isQuote, looseString } from './loose-string.ts'
import { FIELD, isCertain } from './reply-certainty.ts'
import { type Fields, fieldsIn, withoutMemory } from './reply-fields.ts'
import { behindThinking } from './thinking.ts'

const FENCE = /^[ \t]{0,8}```/gm
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

/** Keys and values, without the brace before them. Not objects: a schema describes its fields so. */
export function fieldsInMembers(reply: string, wasCut: boolean): readonly Fields[] {
  const text = behindThinking(reply, QUOTED_KEY)
  const start = text.search(QUOTED_KEY)
  // A tag or a label comes first: the key stands in its text.
  if (FIELD.test(text.slice(0, Math.max(start, 0)))) return []
  const { value, end } = start < 0 ? { end: 0 } : looseMembers(text, start)
  if (!value) return []
  const members = value.members.filter(([, member]) => member.is !== 'object')
  const found = fieldsIn({ ...value, members }, () => [])
  const place = { value, text, start, end, opening: '{', wasEscaped: false, wasCut, isLabelled: true } as const
  return isCertain(place) && !QUOTED_KEY.test(text.slice(end)) ? found : found.map(withoutMemory)
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
  const fields: { [name in FieldName]?: Loose } = {}
  for (const [index, place] of places.entries()) {
    const next = places[index + 1]
    fields[place.name] ??= place.isTag
      ? taggedText(text, place, next?.start, wasCut === true && !next)
      : sectionText(text.slice(place.from, next?.start), isFenced && !next, isOpen && !next)
  }
  return [areAlike(places) ? fields : withoutMemory(fields)]
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

function taggedText(text: string, { from, form, closing }: Place, next: number | undefined, isOpen: boolean): Loose {
  const { text: own, cut } = withoutFence(text.slice(from, closing?.start ?? next).trim())
  if (!closing) return textOf(own, true)
  const behind = text.slice(closing.end, next)
  // The other field has the same one where a tag only holds the name.
  const isAgain = (form === '' ? text.slice(closing.end) : behind).includes(closing.sign)
  return textOf(own, cut || isOpen || isAgain || !BETWEEN_TAGS.test(behind))
}

function sectionText(section: string, isInFence: boolean, isOpen: boolean): Loose {
  const start = section.length - section.trimStart().length
  if (isQuote(section[start]) && !section.startsWith('```', start)) {
    const { text, end, cut } = looseString(section, start, 'alone')
    const isAlone = /^[ \t]*,?\s*(?:\n```)?\s*$/.test(section.slice(end))
    return textOf(isAlone ? text : section.trim(), cut || isOpen || !isAlone)
  }
  // The line below a heading of two lines is no text.
  const own = withoutTokens(section.replace(/^\s{0,4}[-=]{3,}[ \t]*\r?\n/, ''))
  const body = isInFence ? own.replace(/\s?```$/, '') : own
  const { text, cut } = withoutFence(withoutBlockMark(body).trim())
  return textOf(text, cut || isOpen || (isInFence && body === own))
}

function textOf(text: string, cut: boolean): Loose {
  return { is: 'text', text, cut, doubtful: false }
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

/** A fence around the whole of it; one that is not closed was cut. */
function withoutFence(section: string): { readonly text: string; readonly cut: boolean } {
  const [opening] = /^```\w*[ \t]*\r?\n/.exec(section) ?? []
  if (opening === undefined) return { text: section, cut: false }
  if (fencesIn(section) % 2 === 1) return { text: section.slice(opening.length), cut: true }
  // More fences than two may be two blocks, and no fence around them.
  const isOne = fencesIn(section) === 2 || /^```(?:markdown|md)\b/i.test(opening)
  const isWhole = isOne && section.endsWith('\n```') && section.length > opening.length
  return { text: isWhole ? section.slice(opening.length, -'\n```'.length) : section, cut: false }
}

function fencesIn(text: string): number {
  return text.match(FENCE)?.length ?? 0
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
