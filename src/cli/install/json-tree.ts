/**
 * JSON with comments and trailing commas, read with the place of every part. Own code: the parsers to be had either drop the
 * places or can't be bundled. What JSON.parse takes is taken, with the same values; beyond that only comments, and one
 * comma before a closing bracket.
 */
import { brokenAt } from './config-format.ts'

export type Node = ObjectNode | ArrayNode | PlainNode

export interface Span {
  readonly start: number
  /** Behind its last character. */
  readonly end: number
}

export interface ObjectNode extends Span {
  readonly type: 'object'
  readonly members: readonly Member[]
}

export interface ArrayNode extends Span {
  readonly type: 'array'
  readonly items: readonly Node[]
}

interface PlainNode extends Span {
  readonly type: 'plain'
  readonly value: unknown
}

/** A name and its value, and where both stand together. */
export interface Member extends Span {
  readonly name: string
  readonly value: Node
}

/** A comma or a comment. */
export interface Token extends Span {
  readonly text: string
}

const BLANKS = /[ \t\r\n]+/y
const COMMENT = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//y
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const PLAIN = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y

/** Undefined where there is nothing but blanks and comments. */
export function readTree(text: string): Node | undefined {
  const start = behindTrivia(text, 0)
  if (start === text.length) return undefined
  const root = readValue(text, start)
  const end = behindTrivia(text, root.end)
  if (end < text.length) throw expected(text, end, 'the end of the file')
  return root
}

function readValue(text: string, start: number): Node {
  const character = text[start]
  if (character === '{') return readObject(text, start)
  if (character === '[') return readArray(text, start)
  const end = matchEnd(text, start, STRING) ?? matchEnd(text, start, PLAIN)
  if (end === undefined) throw expected(text, start, 'a value')
  return { type: 'plain', value: JSON.parse(text.slice(start, end)), start, end }
}

function readObject(text: string, start: number): ObjectNode {
  const { parts: members, end } = readParts(text, start, '}', (at): Member => {
    const nameEnd = matchEnd(text, at, STRING)
    if (nameEnd === undefined) throw expected(text, at, 'a name in double quotes or "}"')
    const colon = behindTrivia(text, nameEnd)
    if (text[colon] !== ':') throw expected(text, colon, '":"')
    const value = readValue(text, behindTrivia(text, colon + 1))
    return { name: JSON.parse(text.slice(at, nameEnd)), value, start: at, end: value.end }
  })
  return { type: 'object', members, start, end }
}

function readArray(text: string, start: number): ArrayNode {
  const { parts: items, end } = readParts(text, start, ']', (at) => readValue(text, at))
  return { type: 'array', items, start, end }
}

function readParts<Part extends Span>(
  text: string,
  start: number,
  closing: string,
  read: (at: number) => Part,
): { readonly parts: readonly Part[]; readonly end: number } {
  const parts: Part[] = []
  let at = behindTrivia(text, start + 1)
  while (text[at] !== closing) {
    const part = read(at)
    parts.push(part)
    at = behindTrivia(text, part.end)
    if (text[at] === ',') at = behindTrivia(text, at + 1)
    else if (text[at] !== closing) throw expected(text, at, `"," or "${closing}"`)
  }
  return { parts, end: at + 1 }
}

function expected(text: string, at: number, what: string): Error {
  return brokenAt(text, at, `it is not valid JSON: ${what} is expected here`)
}

function behindTrivia(text: string, from: number): number {
  let at = from
  for (;;) {
    const end = matchEnd(text, at, BLANKS) ?? matchEnd(text, at, COMMENT)
    if (end === undefined) return at
    at = end
  }
}

function matchEnd(text: string, at: number, pattern: RegExp): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** Of two with one name the last counts, as JSON.parse has it. */
export function memberOf({ members }: ObjectNode, name: string): Member | undefined {
  return members.findLast((member) => member.name === name)
}

/** The commas and comments of a part that has nothing else but blanks. */
export function tokensBetween(text: string, from: number, to: number): readonly Token[] {
  const tokens: Token[] = []
  let at = from
  while (at < to) {
    const start = matchEnd(text, at, BLANKS) ?? at
    if (start >= to) break
    at = matchEnd(text, start, COMMENT) ?? start + 1
    tokens.push({ text: text.slice(start, at), start, end: at })
  }
  return tokens
}

/** As JSON.parse gives it. */
export function plainValue(node: Node): unknown {
  if (node.type === 'plain') return node.value
  if (node.type === 'array') return node.items.map(plainValue)
  return Object.fromEntries(node.members.map(({ name, value }) => [name, plainValue(value)]))
}

/** Every name and value in order, but what `without` leads to, and what is empty without it. */
export function othersIn({ members }: ObjectNode, [key, ...keys]: readonly string[]): readonly unknown[] {
  return members.flatMap(({ name, value }) => {
    if (name !== key) return [[name, plainValue(value)]]
    if (keys.length === 0) return []
    if (value.type !== 'object') return [[name, plainValue(value)]]
    const rest = othersIn(value, keys)
    return rest.length === 0 ? [] : [[name, rest]]
  })
}
