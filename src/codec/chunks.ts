/**
 * A front matter block as chunks, one a top-level key: its line, the lines below that belong to it, and the comments
 * above it. Knows lines, not YAML. Invariant: the chunks and the foot, joined, are the block.
 */
import { endOfKey, endOfQuoted } from './yaml-read.ts'

export interface Chunk {
  /** Comments above the key, from the first one after the value before it. */
  readonly lead: string
  readonly key: string
  readonly body: string
  /** Blank lines after the body: a keeping block scalar (`|+`) owns them, so they go where the body goes. */
  readonly tail: string
  /** Of the key, counted in the block from 0. */
  readonly line: number
}

export interface Chunks {
  readonly chunks: readonly Chunk[]
  /** Comments after the last value. */
  readonly foot: string
  /** Whether each line is what it looks like; a flow mapping over the whole block, say, is not. */
  readonly regular: boolean
}

export function chunksOf(block: string): Chunks {
  const chunks: Chunk[] = []
  let open: { readonly lead: string; readonly key: string; readonly line: number; readonly at: number } | undefined
  /** Where the last line ended that is more than a comment or blank: what follows may belong to either side. */
  let solidEnd = 0
  let regular = true
  const close = (at: number): string => {
    const between = block.slice(solidEnd, at)
    if (!open) return between
    const { lead, key, line } = open
    const [tail, rest] = between === '' ? ['', ''] : splitAfterBlankLines(between)
    chunks.push({ lead, key, body: block.slice(open.at, solidEnd), tail, line })
    return rest
  }
  for (let at = 0, line = 0; at < block.length; line++) {
    const end = block.indexOf('\n', at) + 1 || block.length
    const text = block.slice(at, end)
    const role = roleOf(text)
    if (role === 'key') open = { lead: close(at), key: keyOf(text), line, at }
    else if (role !== 'space') regular &&= role === 'more' && open !== undefined
    if (role !== 'space' && open) solidEnd = end
    at = end
  }
  return { foot: close(block.length), chunks, regular }
}

/** The chunks as they stand in the block. */
export function textOf(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => chunk.lead + chunk.body + chunk.tail).join('')
}

/** The lines of a text, each with its line end. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start) + 1 || text.length
    yield text.slice(start, end)
    start = end
  }
}

export function splitAfterBlankLines(text: string): [blank: string, rest: string] {
  let end = 0
  for (const line of linesOf(text)) {
    if (line.trim() !== '') break
    end += line.length
  }
  return [text.slice(0, end), text.slice(end)]
}

/** Parts the comments above a key into those about more than the key (a blank line lies between) and its own. */
export function splitLead(lead: string): [detached: string, own: string] {
  let detached = 0
  let end = 0
  for (const line of linesOf(lead)) {
    end += line.length
    if (line.trim() === '') detached = end
  }
  return [lead.slice(0, detached), lead.slice(detached)]
}

/** What stands on the chunk's first line after the colon, without line end and comment, and the comment with its blanks. */
export function firstValue(chunk: Chunk): { readonly value: string; readonly comment: string } {
  const end = chunk.body.indexOf('\n')
  const line = (end === -1 ? chunk.body : chunk.body.slice(0, end)).trimEnd()
  const text = line.slice(endOfKey(line, 0) + 1)
  const at = startOfComment(text)
  return { value: text.slice(0, at).trim(), comment: text.slice(at) }
}

function startOfComment(text: string): number {
  const start = text.length - text.trimStart().length
  const inBrackets = text[start] === '[' || text[start] === '{'
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    const opens = character === '"' || character === "'"
    // Quotes mean something at the start of a value only; within brackets also further on.
    if (opens && (inBrackets || at === start)) at = endOfQuoted(text, at) - 1
    else if (character === '#' && (at === 0 || text[at - 1] === ' ' || text[at - 1] === '\t')) {
      return text.slice(0, at).trimEnd().length
    }
  }
  return text.length
}

type Role = 'key' | 'more' | 'space' | 'odd'

/** Other white space is text to YAML. */
const BLANK = /^ *\r?\n?$/
const LIST_ITEM = /^-(?:\s|$)/
const KEY_START = /^[A-Za-z0-9_"']/

function roleOf(line: string): Role {
  if (line.startsWith('#') || BLANK.test(line)) return 'space'
  if (line.startsWith(' ') || LIST_ITEM.test(line)) return 'more'
  // The letters of all scripts take V8 a millisecond, and most keys do without.
  const begins = KEY_START.test(line) || /^[\p{L}\p{N}]/u.test(line)
  return begins && endOfKey(line, 0) > 0 ? 'key' : 'odd'
}

function keyOf(line: string): string {
  const text = line.slice(0, endOfKey(line, 0)).trimEnd()
  if (text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1).replaceAll("''", "'")
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text // YAML knows more escapes than JSON; such a key is then not found, and the block rebuilt when edited
  }
}
