/**
 * The statements of a TOML text with their places: headers of tables, and keys with values. It finds where things stand, no
 * more: the text is one that a real parser has read, and whoever edits it lets that parser look at the result.
 */

export interface Statement {
  readonly kind: 'table' | 'tables' | 'pair'
  /** The keys of the header; of a pair, its own keys. */
  readonly keys: readonly string[]
  /** Where its line begins. */
  readonly start: number
  /** Of a pair: where its value begins. */
  readonly valueStart: number
  /** Behind its last character; a comment behind it is not part of it. */
  readonly end: number
  /** Behind its last line, newline included. */
  readonly lineEnd: number
}

export function statementsOf(text: string): readonly Statement[] {
  const statements: Statement[] = []
  let at = 0
  while (at < text.length) {
    const start = at
    at = skip(text, at, /[ \t]*/y)
    if (/[#\r\n]/.test(text[at] ?? '\n')) {
      at = endOfLine(text, at)
      continue
    }
    const brackets = skip(text, at, /\[{0,2}/y) - at
    const { keys, end: keysEnd } = readKeys(text, at + brackets)
    const valueStart = brackets > 0 ? keysEnd : skip(text, keysEnd, /[ \t]*=?[ \t]*/y)
    const end = brackets > 0 ? skip(text, keysEnd, /[ \t]*\]{1,2}/y) : skipValue(text, valueStart)
    at = endOfLine(text, end)
    const kind = brackets === 0 ? 'pair' : brackets === 1 ? 'table' : 'tables'
    statements.push({ kind, keys, start, valueStart, end, lineEnd: at })
  }
  return statements
}

function readKeys(text: string, from: number): { readonly keys: readonly string[]; readonly end: number } {
  const keys: string[] = []
  let at = from
  for (;;) {
    const start = skip(text, at, /[ \t]*/y)
    const end = skip(text, start, /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+/y)
    keys.push(unquoted(text.slice(start, end)))
    const dot = skip(text, end, /[ \t]*\./y)
    if (dot === end || end === start) return { keys, end }
    at = dot
  }
}

function unquoted(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1)
  if (!key.startsWith('"')) return key
  try {
    return JSON.parse(key)
  } catch {
    return key // an escape that JSON does not have: not a name of ours
  }
}

/** Behind the value, over the lines that strings, arrays and tables in it may take. */
function skipValue(text: string, from: number): number {
  let depth = 0
  let at = from
  let end = from
  while (at < text.length) {
    const character = text[at] ?? ''
    if (character === '#') {
      if (depth === 0) return end
      at = skip(text, at, /[^\n]*/y)
    } else if (character === '\n' && depth === 0) {
      return end
    } else if (character === '"' || character === "'") {
      at = skipString(text, at)
      end = at
    } else {
      if (character === '[' || character === '{') depth++
      if (character === ']' || character === '}') depth--
      at++
      if (character.trim() !== '') end = at
    }
  }
  return end
}

/** Long strings may end in one or two quotes of their own. */
const STRINGS = /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}|'''(?:[^']|'(?!''))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y

function skipString(text: string, at: number): number {
  const end = skip(text, at, STRINGS)
  return end === at ? at + 1 : end
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline === -1 ? text.length : newline + 1
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
