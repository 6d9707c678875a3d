/**
 * Our entry in a client's TOML file: a table of its own at the end. An entry that stands there in another form (inline, or
 * by dotted keys) is read, and left to the person who wrote it. Every text that comes out is checked by the caller.
 */
import { isDeepStrictEqual } from 'node:util'
import { parse, TomlError } from 'smol-toml'
import type { JsonValue } from '../../model/entry.ts'
import type { Entry } from './clients.ts'
import { BrokenConfig, brokenAt, type ConfigFormat, newlineOf } from './config-format.ts'
import { SERVER_NAME } from './server-command.ts'
import { type Statement, statementsOf } from './toml-statements.ts'

type Table = Readonly<Record<string, unknown>>

/** A header and its pairs. */
interface Block {
  readonly header: Statement
  readonly pairs: readonly Statement[]
  readonly start: number
  readonly end: number
}

/** `servers`: the keys that lead to the client's servers. */
export function tomlFormat(servers: readonly string[]): ConfigFormat {
  const keys = [...servers, SERVER_NAME]

  /** The table of our entry first, then those inside it. */
  const blocks = (text: string): readonly [Block, ...Block[]] => {
    const [first, ...rest] = blocksOf(text).filter(({ header }) =>
      keys.every((key, index) => header.keys[index] === key),
    )
    if (first?.header.kind === 'table' && first.header.keys.length === keys.length) return [first, ...rest]
    throw brokenAt(text, first?.start ?? 0, `the entry "${SERVER_NAME}" is not a table of its own, [${keys.join('.')}]`)
  }

  const added = (text: string | undefined, entry: Entry): string => {
    if (text === undefined) return `${tableText(keys, entry, '\n')}\n`
    const newline = newlineOf(text)
    const table = tableText(keys, entry, newline)
    if (text === '') return table
    return text.endsWith('\n') ? text + newline + table + newline : text + newline + newline + table
  }

  return {
    // A copy, because the parser's tables have no prototype and would never equal our own objects.
    entryIn: (text) =>
      structuredClone(keys.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), read(text))),
    added,
    updated: (text, entry) =>
      Object.entries(entry).reduce((now, [name, value]) => withPair(now, blocks(now)[0], name, value), text),
    replaced: (text, entry) => {
      const { start } = blocks(text)[0]
      const newline = newlineOf(text)
      return text.slice(0, start) + tableText(keys, entry, newline) + newline + restOf(text, start, blocks(text))
    },
    removed: (text, written) => {
      const all = blocks(text)
      const [{ start, end }] = all
      const head = text.slice(0, start)
      const rest = restOf(text, start, all)
      const newline = newlineOf(text)
      const ending = text.slice(0, end).endsWith('\n') ? newline : ''
      const marked = head + tableText(keys, {}, newline) + ending + rest
      for (const before of befores(head, newline)) {
        const isSure = before !== undefined || (written && added(before, written) === text)
        if (isSure && added(before, {}) === marked) return before
      }
      // Not at the end, so something was written behind it: one of the blank lines around it goes with it.
      return /^$|(^|\n)\r?\n$/.test(head) && rest.startsWith(newline) ? head + rest.slice(newline.length) : head + rest
    },
    snippet: (entry) => tableText(keys, entry, '\n'),
    others: (text) => without(read(text), keys),
  }
}

function read(text: string): Table {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [problem = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw new BrokenConfig(`it is not valid TOML: ${problem}`, error.line, error.column)
  }
}

/** What there can have been before a table was put behind `head`. */
function befores(head: string, newline: string): readonly (string | undefined)[] {
  const cut = (end: string): readonly string[] => (head.endsWith(end) ? [head.slice(0, head.length - end.length)] : [])
  return [undefined, '', ...cut(newline), ...cut(newline + newline)]
}

function blocksOf(text: string): readonly Block[] {
  const statements = statementsOf(text)
  const starts = statements.flatMap(({ kind }, index) => (kind === 'pair' ? [] : [index]))
  return starts.flatMap((from, index) => {
    const [header, ...pairs] = statements.slice(from, starts[index + 1])
    return header ? [{ header, pairs, start: header.start, end: (pairs.at(-1) ?? header).lineEnd }] : []
  })
}

/** What stands behind `from`, without these blocks. */
function restOf(text: string, from: number, blocks: readonly Block[]): string {
  let at = from
  const kept: string[] = []
  for (const { start, end } of blocks) {
    kept.push(text.slice(at, start))
    at = end
  }
  return [...kept, text.slice(at)].join('')
}

function withPair(text: string, { header, pairs }: Block, name: string, value: JsonValue): string {
  const pair = pairs.find(({ keys }) => keys.length === 1 && keys[0] === name)
  if (pair) {
    const old = read(`value = ${text.slice(pair.valueStart, pair.end)}`)['value']
    if (isDeepStrictEqual(old, value)) return text
    return text.slice(0, pair.valueStart) + valueText(value) + text.slice(pair.end)
  }
  const newline = newlineOf(text)
  const { lineEnd } = pairs.at(-1) ?? header
  const line = `${name} = ${valueText(value)}`
  const isLastLine = !text.slice(0, lineEnd).endsWith('\n')
  return text.slice(0, lineEnd) + (isLastLine ? newline + line : line + newline) + text.slice(lineEnd)
}

function tableText(keys: readonly string[], entry: Entry, newline: string): string {
  const pairs = Object.entries(entry).map(([name, value]) => `${name} = ${valueText(value)}`)
  return [`[${keys.join('.')}]`, ...pairs].join(newline)
}

/** Like JSON, except that TOML requires DEL to be escaped. Entries hold strings, booleans, and lists and tables of these. */
function valueText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (isTable(value))
    return `{ ${Object.entries(value)
      .map(([name, one]) => `${name} = ${valueText(one)}`)
      .join(', ')} }`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}

function without(table: Table, [key = '', ...keys]: readonly string[]): Table {
  const { [key]: inner, ...others } = table
  if (inner === undefined || keys.length === 0) return others
  const rest = isTable(inner) ? without(inner, keys) : inner
  return isTable(rest) && Object.keys(rest).length === 0 ? others : { ...others, [key]: rest }
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
