/**
 * The fields of a reply that is no object: keys and values without braces, tags (`<history_entry>…</history_entry>`), sections with a
 * heading, lines with a label. A field in a tag, in quotes or in a fence that is never closed was cut; one that ends with the text may
 * have been. Time is proportional to the length.
 */
import { type Loose, looseMembers } from './loose-json.ts'
import { isQuote, looseString } from './loose-string.ts'
import { certainFields, type FieldName, type Fields, fieldCalled, fieldsIn } from './reply-fields.ts'
import { behindThinking } from './thinking.ts'

const NAME = '(history[ _-]?entry|memory[ _-]?update)'
const TAG = `<(?:[a-z:_-]{1,40}(?: name)?=["']?)?${NAME}["']?>`
const MARKS = '[*_"\'`“”]{0,3}'
const LABEL = `^[ \\t>]{0,8}(?:#{1,6}[ \\t]{0,4}|[-*+][ \\t]{1,4}|\\d{1,2}[.)][ \\t]{1,4})?${MARKS}${NAME}${MARKS}[ \\t]{0,8}(?:[:：=]${MARKS}|$)`
const FIELD = new RegExp(`${TAG}|${LABEL}`, 'im')
const QUOTED_KEY = new RegExp(`["'“\`]${NAME}["'”\`]\\s{0,20}[:：=]`, 'i')
const FENCE = /^[ \t]{0,8}```/gm
const CLOSING_TAG = new RegExp(`</(?:${NAME}|parameter|arg|argument|invoke|field)>`, 'i')

interface Place {
  readonly name: FieldName
  readonly start: number
  /** Where its text begins. */
  readonly from: number
  readonly isTag: boolean
}

/** Keys and values, without the braces around them. Not objects: a schema describes its fields so. */
export function fieldsInMembers(reply: string): readonly Fields[] {
  const text = behindThinking(reply, QUOTED_KEY)
  const key = text.search(QUOTED_KEY)
  const { value, end } = key < 0 ? { end: 0 } : looseMembers(text, key)
  if (!value) return []
  const members = value.members.filter(([, member]) => member.is !== 'object')
  return certainFields(
    fieldsIn({ ...value, members }, () => []),
    value,
    text,
    end,
  )
}

/** `wasCut`: what ends with the text was cut. */
export function fieldsInSections(reply: string, wasCut: boolean): Fields {
  const text = behindThinking(reply, FIELD)
  const places = placesOf(text)
  const before = text.slice(0, places[0]?.start ?? 0)
  const isFenced = fencesIn(before) % 2 === 1
  // An object with an end would have been read as one.
  const isOpen = wasCut || before.trimEnd().endsWith('{')
  const fields: { [name in FieldName]?: Loose } = {}
  for (const [index, { name, from, isTag }] of places.entries()) {
    const next = places[index + 1]
    const section = text.slice(from, next?.start)
    fields[name] = isTag ? taggedText(section) : sectionText(section, isFenced && !next, isOpen && !next)
  }
  return fields
}

/** The first of each, in order. */
function placesOf(text: string): Place[] {
  const places: Place[] = []
  for (const match of text.matchAll(new RegExp(FIELD, 'gim'))) {
    const name = fieldCalled(match[1] ?? match[2] ?? '')
    if (name === undefined || places.some((place) => place.name === name)) continue
    places.push({ name, start: match.index, from: match.index + match[0].length, isTag: match[1] !== undefined })
  }
  return places
}

function taggedText(section: string): Loose {
  const end = section.search(CLOSING_TAG)
  return textOf(withoutFence((end < 0 ? section : section.slice(0, end)).trim()).text, end < 0)
}

function sectionText(section: string, isInFence: boolean, wasCut: boolean): Loose {
  const start = section.length - section.trimStart().length
  if (isQuote(section[start]) && !section.startsWith('```', start)) {
    const { text, end, cut, doubtful } = looseString(section, start, 'object')
    return textOf(text, cut || (doubtful && /[\p{L}\p{N}]/u.test(section.slice(end))))
  }
  // The line below a heading of two lines is no text.
  const own = withoutTokens(section.replace(/^\s{0,4}[-=]{3,}[ \t]*\r?\n/, ''))
  const body = isInFence ? own.replace(/\s?```$/, '') : own
  const { text, cut } = withoutFence(withoutBlockMark(body).trim())
  return textOf(text, cut || wasCut || (isInFence && body === own))
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
  const isWhole = section.endsWith('\n```') && section.length > opening.length
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
