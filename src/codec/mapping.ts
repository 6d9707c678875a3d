/**
 * One YAML mapping, read chunk by chunk: what is of the simple kind here, the rest by the library, which is not called
 * (and so not loaded) when nothing is left for it. Invariant: the values are those the library reads from the whole.
 */
import type { JsonValue } from '../model/entry.ts'
import { type Chunk, chunksOf, linesOf, textOf } from './chunks.ts'
import { BrokenText, type ParseYaml } from './file-entry.ts'
import { isTooDeep } from './yaml-depth.ts'
import { endOfKey, readKey, readPair } from './yaml-read.ts'

export interface Mapping {
  readonly chunks: readonly Chunk[]
  readonly foot: string
  readonly values: ReadonlyMap<string, unknown>
  /** `own`: all of it is of the simple kind; `foreign`: the library read some; `opaque`: lines are not what they seem. */
  readonly style: 'own' | 'foreign' | 'opaque'
}

/** The library's time grows with the square of the number of keys: this much takes it a second at worst. */
const MAX_FOREIGN_CHARACTERS = 65_536

const LINE_END = /\r?\n/

/** Throws BrokenText; `firstLine` is the number of the text's first line in its file. */
export function readMapping(text: string, yaml: ParseYaml, firstLine: number): Mapping {
  const { chunks, foot, regular } = chunksOf(text)
  const simple = regular && !hasLoneReturn(text)
  const mine = chunks.map((chunk) => (simple ? readChunk(chunk) : undefined))
  const foreign = chunks.filter((_, index) => mine[index] === undefined)
  if (simple && foreign.length === 0) {
    return { chunks, foot, style: 'own', values: valuesByKey(chunks, firstLine, (_, index) => mine[index]) }
  }
  const whole = (): ReadonlyMap<string, unknown> => readForeign(text, text.length, yaml, firstLine)
  if (!regular) return { chunks, foot, style: 'opaque', values: whole() }
  const read = blaming(foreign, firstLine, () => {
    return readForeign(masked(chunks, foot, mine), textOf(foreign).length, yaml, firstLine)
  })
  if (!agree(foreign, read)) return { chunks, foot, style: 'opaque', values: whole() }
  const values = valuesByKey(chunks, firstLine, (chunk, index) => {
    return mine[index] === undefined ? read.get(chunk.key) : mine[index]
  })
  return { chunks, foot, style: 'foreign', values }
}

/** A YAML file that is one mapping, such as `keepsake.yaml`. */
export function parseMapping(text: string, yaml: ParseYaml): Readonly<Record<string, unknown>> {
  return Object.fromEntries(readMapping(text.replace(/^\uFEFF/, ''), yaml, 1).values)
}

function readChunk(chunk: Chunk): JsonValue | undefined {
  const [first = '', ...rest] = chunk.body.split(LINE_END)
  if (rest.at(-1) === '') rest.pop()
  const colon = endOfKey(first, 0)
  return readKey(first.slice(0, colon)) === chunk.key ? readPair(first.slice(colon + 1), rest) : undefined
}

function valuesByKey(
  chunks: readonly Chunk[],
  firstLine: number,
  value: (chunk: Chunk, index: number) => unknown,
): Map<string, unknown> {
  const values = new Map<string, unknown>()
  for (const [index, chunk] of chunks.entries()) {
    if (values.has(chunk.key)) throw new BrokenText(`"${chunk.key}" stands here twice`, chunk.line + firstLine)
    values.set(chunk.key, value(chunk, index))
  }
  return values
}

/** The block with a comment in place of each line that needs no library: line numbers stay, block scalars still end. */
function masked(chunks: readonly Chunk[], foot: string, mine: readonly (JsonValue | undefined)[]): string {
  const hidden = (text: string): string => '#\n'.repeat([...linesOf(text)].length)
  return (
    chunks
      .map((chunk, index) =>
        mine[index] === undefined ? textOf([chunk]) : hidden(chunk.lead) + hidden(chunk.body) + hidden(chunk.tail),
      )
      .join('') + foot
  )
}

function readForeign(text: string, length: number, yaml: ParseYaml, firstLine: number): Map<string, unknown> {
  if (length > MAX_FOREIGN_CHARACTERS) {
    throw new BrokenText(`${length} characters of YAML are more than can be read`, firstLine)
  }
  if (isTooDeep(text)) throw new BrokenText('this is nested too deeply', firstLine)
  let value: unknown
  try {
    value = yaml(text)
  } catch (error) {
    throw new BrokenText(reasonOf(error), lineOf(error, firstLine))
  }
  if (value === null || value === undefined) return new Map()
  // A set or an ordered map is an object too, but its entries would be lost on us.
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) {
    throw new BrokenText('this is not a mapping of keys to values', firstLine)
  }
  return new Map(Object.entries(value))
}

/** An error that the library noticed only behind the value that it is about is reported at that value. */
function blaming<T>(foreign: readonly Chunk[], firstLine: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error
    const { problem, line = 0 } = error
    const chunk = foreign.findLast((one) => one.line + firstLine <= line)
    if (!chunk || line < chunk.line + firstLine + [...linesOf(chunk.body)].length) throw error
    throw new BrokenText(problem, chunk.line + firstLine)
  }
}

/** Whether the library found the keys that the lines show, no more and no fewer. */
function agree(chunks: readonly Chunk[], read: ReadonlyMap<string, unknown>): boolean {
  const keys = new Set(chunks.map((chunk) => chunk.key))
  return keys.size === read.size && [...keys].every((key) => read.has(key))
}

/** The library's first line without its position, which is given apart. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const [first = ''] = message.split('\n')
  return `this is not YAML: ${first.replace(/ at line \d+, column \d+:?$/, '')}`
}

function lineOf(error: unknown, firstLine: number): number | undefined {
  if (!(error instanceof Error) || !('linePos' in error) || !Array.isArray(error.linePos)) return undefined
  const position: unknown = error.linePos[0]
  if (typeof position !== 'object' || position === null || !('line' in position)) return undefined
  return typeof position.line === 'number' ? position.line + firstLine - 1 : undefined
}

function hasLoneReturn(text: string): boolean {
  return /\r(?!\n)/.test(text)
}
