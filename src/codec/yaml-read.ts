/**
 * Reads the YAML that we write, and the simple kind that people write, without the YAML library. `undefined` is "not
 * mine": the library decides. Invariant: what this accepts, the library reads as the same value.
 */
import type { JsonValue } from '../model/entry.ts'
import { isPlain, isPlainItem, jsonText, stringListText } from './yaml-write.ts'

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Text to YAML 1.2, and what we write for times. */
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3})?Z)?$/
const WORDS: ReadonlyMap<string, JsonValue> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** The value of a pair: what stands after the colon, and the lines below it that belong to it. */
export function readPair(first: string, rest: readonly string[]): JsonValue | undefined {
  const inline = trimSpaces(first)
  if (rest.length === 0) return inline === '' ? null : readInline(inline)
  if (inline !== '') return undefined
  return rest[0]?.startsWith('  - ') ? readBlockList(rest) : readBlockMapping(rest)
}

/** A key as it stands before its colon. */
export function readKey(text: string): string | undefined {
  if (text.startsWith('"')) return readString(text)
  return isPlain(text) ? text : undefined
}

function readBlockList(lines: readonly string[]): JsonValue | undefined {
  const items: JsonValue[] = []
  for (const line of lines) {
    const item = line.startsWith('  - ') ? readInline(trimSpaces(line.slice(4))) : undefined
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

function readBlockMapping(lines: readonly string[]): JsonValue | undefined {
  const pairs = new Map<string, JsonValue>()
  for (const line of lines) {
    if (!line.startsWith('  ') || line[2] === ' ') return undefined
    const colon = endOfKey(line, 2)
    const key = colon === -1 ? undefined : readKey(line.slice(2, colon))
    const value = key === undefined ? undefined : readInline(trimSpaces(line.slice(colon + 1)))
    if (key === undefined || value === undefined || pairs.has(key)) return undefined
    pairs.set(key, value)
  }
  // fromEntries defines own properties, so that a user's "__proto__" is a key like any other.
  return Object.fromEntries(pairs)
}

function readInline(text: string): JsonValue | undefined {
  const first = text[0]
  if (first === '"') return readString(text)
  if (first === '[' || first === '{') return readFlow(text)
  const word = WORDS.get(text)
  if (word !== undefined) return word
  if (JSON_NUMBER.test(text)) {
    const number = Number(text)
    return Number.isFinite(number) ? number : undefined
  }
  return isPlain(text) || DATE.test(text) ? text : undefined
}

function readString(text: string): string | undefined {
  const value = parseJson(text)
  return typeof value === 'string' ? value : undefined
}

/** Accepted only when we would write the value just so: this settles spacing, doubled keys and all else at once. */
function readFlow(text: string): JsonValue | undefined {
  const items = readStringList(text)
  if (items && stringListText(items) === text) return items
  const value = parseJson(text)
  return value !== undefined && isWrittenAs(value, text) ? value : undefined
}

function isWrittenAs(value: JsonValue, text: string): boolean {
  try {
    return jsonText(value) === text
  } catch {
    return false // nested deeper than the stack: nothing we wrote
  }
}

function readStringList(text: string): string[] | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined
  const items: string[] = []
  let at = 1
  while (at < text.length - 1) {
    const end = text[at] === '"' ? endOfQuoted(text, at) : endOfItem(text, at)
    const token = text.slice(at, end)
    const item = token.startsWith('"') ? readString(token) : isPlainItem(token) ? token : undefined
    if (item === undefined) return undefined
    items.push(item)
    at = end + 2 // the comma and its space, which the comparison with our own writing checks
  }
  return items
}

function endOfItem(text: string, start: number): number {
  const comma = text.indexOf(',', start)
  return comma === -1 ? text.length - 1 : comma
}

/** The offset of the colon that ends a key which starts here, or -1. */
export function endOfKey(line: string, start: number): number {
  const quote = line[start]
  let at = start
  if (quote === '"' || quote === "'") {
    at = endOfQuoted(line, start)
    while (line[at] === ' ') at++
    return line[at] === ':' && isBlankAt(line, at + 1) ? at : -1
  }
  at = line.indexOf(':', start)
  while (at !== -1 && !isBlankAt(line, at + 1)) at = line.indexOf(':', at + 1)
  return at
}

/** The offset after the quoted text that starts here; the line's end when it is not closed. */
export function endOfQuoted(line: string, start: number): number {
  const quote = line[start]
  for (let at = start + 1; at < line.length; at++) {
    if (quote === '"' && line[at] === '\\') at++
    else if (line[at] === quote) {
      if (quote === '"' || line[at + 1] !== "'") return at + 1
      at++
    }
  }
  return line.length
}

function isBlankAt(line: string, at: number): boolean {
  const character = line[at]
  return character === undefined || character === ' ' || character === '\t' || character === '\r' || character === '\n'
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue // what JSON.parse gives is JSON
  } catch {
    return undefined
  }
}

function trimSpaces(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}
