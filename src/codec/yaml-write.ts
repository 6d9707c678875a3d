/**
 * Values as YAML that a person likes to read and no YAML reader, old or new, reads differently. A string stands plain
 * only when it can't be taken for anything else; else it is a JSON string, which every YAML reader knows.
 * The rules are stricter than YAML's: a quote too many harms nobody.
 */
import type { JsonValue, Metadata } from '../model/entry.ts'
import { isId } from '../model/id.ts'
import { parseInstant } from '../model/time.ts'

const MAX_LIST_COLUMNS = 100
/** YAML allows 1,024 characters before the colon of a block mapping; escapes may take six each. */
const MAX_BLOCK_KEY = 160

/** Most texts, which need no patterns for all scripts: V8 takes half a millisecond for one of those. */
const PLAIN_ASCII = /^[A-Za-z0-9_/($][ -~]*$/
/** Words that YAML 1.1 or 1.2 reads as a boolean or nothing. */
const RESERVED_WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i
/** What numbers, dates and times of any YAML dialect are made of; to some, `e0` is a number without digits. */
const NUMBER_LIKE = /^[0-9Ee][0-9A-Fa-fxobTtZz+\-._:, ]*$/

const TIME_KEYS: ReadonlySet<string> = new Set(['created', 'updated', 'expires'])

/** Whether every YAML reader takes the bare text for just this string, as a value or key in a block. */
export function isPlain(text: string): boolean {
  return (
    (PLAIN_ASCII.test(text) || isPrintable(text)) &&
    text.trim() === text &&
    !text.includes(': ') &&
    !text.endsWith(':') &&
    !text.includes(' #') &&
    !RESERVED_WORD.test(text) &&
    (!NUMBER_LIKE.test(text) || isId(text))
  )
}

/** Begins with what means nothing to YAML, and holds nothing that is not seen. */
function isPrintable(text: string): boolean {
  return /^[\p{L}\p{N}_/($]/u.test(text) && !/[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u.test(text)
}

/** As `isPlain`, within brackets, where more characters mean something. */
export function isPlainItem(text: string): boolean {
  return isPlain(text) && !/[,:#?[\]{}]/.test(text)
}

/** JSON that is also YAML and hides no character. */
export function jsonText(value: JsonValue): string {
  // Never raw in a file: control characters, and what some readers take for a line end or drop.
  return JSON.stringify(value).replace(/[\p{Cc}\u2028\u2029\uFEFF\uFFFE\uFFFF]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** A value on one line: what follows `key: `. */
export function inlineText(value: JsonValue): string {
  if (typeof value === 'string') return isPlain(value) ? value : jsonText(value)
  if (isStringList(value)) return stringListText(value)
  return jsonText(value)
}

export function stringListText(items: readonly string[]): string {
  return `[${items.map((item) => (isPlainItem(item) ? item : jsonText(item))).join(', ')}]`
}

export function keyText(key: string): string {
  return isPlainItem(key) ? key : jsonText(key)
}

/** The lines of one key and its value, without their line ends; `comment` stands at the end of the first. */
export function pairLines(key: string, value: JsonValue, comment = ''): string[] {
  const label = `${keyText(key)}:`
  if (key === 'metadata' && isMapping(value)) {
    const pairs = Object.entries(value)
    if (pairs.length > 0 && pairs.every(([name]) => name.length <= MAX_BLOCK_KEY)) {
      return [label + comment, ...pairs.map(([name, item]) => `  ${keyText(name)}: ${inlineText(item)}`)]
    }
  }
  // A time stays bare: those who read it as a time read the same one.
  const isTime = TIME_KEYS.has(key) && typeof value === 'string' && parseInstant(value) === value
  const text = isTime ? value : inlineText(value)
  if (isStringList(value) && value.length > 0 && label.length + text.length >= MAX_LIST_COLUMNS) {
    return [label + comment, ...value.map((item) => `  - ${inlineText(item)}`)]
  }
  return [`${label} ${text}${comment}`]
}

function isStringList(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isMapping(value: JsonValue): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
