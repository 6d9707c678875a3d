/**
 * The front matter of a file as an editor: reads values by key, sets some, and gives the text back with every byte it
 * did not have to change. Invariant: the text it gives reads as the values it was given.
 * Deliberately absent: what keys mean; see front-matter-keys.ts.
 */
import type { JsonValue } from '../model/entry.ts'
import { type Chunk, firstValue, splitLead, textOf } from './chunks.ts'
import { BrokenText, type ParseYaml } from './file-entry.ts'
import { jsonOf } from './json-of.ts'
import { type Mapping, readMapping } from './mapping.ts'
import { pairLines } from './yaml-write.ts'

/** The order in which new keys are put. */
const KEY_ORDER: readonly string[] = [
  'name',
  'description',
  'id',
  'kind',
  'aliases',
  'created',
  'updated',
  'expires',
  'origin',
  'metadata',
]

/** The block starts below the first fence. */
const FIRST_LINE = 2

export class FrontMatter {
  readonly #yaml: ParseYaml
  readonly #eol: string
  /** All that was read and set since, in the order of the file. */
  readonly #values: Map<string, unknown>
  #chunks: readonly Chunk[]
  #foot: string
  readonly #style: Mapping['style']
  readonly #original: string
  #changed = false

  /** Throws BrokenText when the block is not one YAML mapping. New lines end with `eol`. */
  constructor(block: string, yaml: ParseYaml, eol = '\n') {
    const { chunks, foot, style, values } = readMapping(block, yaml, FIRST_LINE)
    this.#yaml = yaml
    this.#original = block
    this.#eol = eol
    this.#chunks = chunks
    this.#foot = foot
    this.#style = style
    this.#values = new Map(values)
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  get(key: string): unknown {
    return this.#values.get(key)
  }

  /** Where the key stands in the file. */
  lineOf(key: string): number | undefined {
    const chunk = this.#chunks.find((one) => one.key === key)
    return chunk && chunk.line + FIRST_LINE
  }

  /** The text of a value as a person wrote it: `1.10`, where the value is 1.1. */
  written(key: string): { readonly first: string; readonly all: string } {
    const chunk = this.#chunks.find((one) => one.key === key)
    return chunk ? { first: firstValue(chunk).value, all: chunk.body } : { first: '', all: '' }
  }

  /** Replaces a value, adds the key at its place, or (without a value) removes it. */
  set(key: string, value: JsonValue | undefined): void {
    this.#changed = true
    const index = this.#chunks.findIndex((chunk) => chunk.key === key)
    if (value === undefined) {
      this.#values.delete(key)
      if (index !== -1) this.#remove(index)
      return
    }
    this.#values.set(key, value)
    const old = this.#chunks[index]
    const lines = pairLines(key, value, old && firstValue(old).comment)
    const body = lines.map((line) => line + this.#eol).join('')
    if (old) this.#chunks = this.#chunks.with(index, { ...old, body })
    else this.#insert({ lead: '', key, body, tail: '', line: 0 })
  }

  /** The block as it is to be written. */
  toString(): string {
    if (!this.#changed) return this.#original
    const text = textOf(this.#chunks) + this.#foot
    if (this.#style === 'own' || (this.#style === 'foreign' && this.#says(text))) return text
    // An anchor went with the value that held it, or the lines can't be edited: all values survive, their style does not.
    return [...this.#values]
      .flatMap(([key, value]) => pairLines(key, jsonOf(value, key)))
      .map((line) => line + this.#eol)
      .join('')
  }

  #says(text: string): boolean {
    try {
      const again = new FrontMatter(text, this.#yaml)
      const keys = [...this.#values.keys()]
      return (
        again.#values.size === keys.length &&
        keys.every((key) => again.has(key) && fingerprint(again.get(key)) === fingerprint(this.get(key)))
      )
    } catch (error) {
      if (error instanceof BrokenText) return false
      throw error
    }
  }

  /** A comment right above the key goes with it; one with a blank line between is about more, and stays. */
  #remove(index: number): void {
    const [detached] = splitLead(this.#chunks[index]?.lead ?? '')
    const next = this.#chunks[index + 1]
    this.#chunks = this.#chunks.toSpliced(index, 1)
    if (next) this.#chunks = this.#chunks.with(index, { ...next, lead: detached + next.lead })
    else this.#foot = detached + this.#foot
  }

  #insert(chunk: Chunk): void {
    const at = this.#placeOf(chunk.key)
    const previous = this.#chunks[at - 1]
    const next = this.#chunks[at]
    if (!previous && next) {
      const [detached, own] = splitLead(next.lead)
      this.#chunks = [{ ...chunk, lead: detached }, { ...next, lead: own }, ...this.#chunks.slice(1)]
    } else if (previous && isOneLine(previous)) {
      // The blank line that sets a group apart stays at the group's end, unless it may be part of a value.
      const pair = [
        { ...previous, tail: '' },
        { ...chunk, tail: previous.tail },
      ]
      this.#chunks = this.#chunks.toSpliced(at - 1, 1, ...pair)
    } else {
      this.#chunks = this.#chunks.toSpliced(at, 0, chunk)
    }
  }

  /** After the nearest key that comes before it in our order, else before the first that comes after, else last. */
  #placeOf(key: string): number {
    const rank = KEY_ORDER.indexOf(key)
    const ranks = this.#chunks.map((chunk) => KEY_ORDER.indexOf(chunk.key))
    if (rank === -1) return ranks.length
    const before = ranks.reduce((best, other) => (other < rank && other > best ? other : best), -1)
    if (before !== -1) return ranks.indexOf(before) + 1
    const after = ranks.findIndex((other) => other > rank)
    return after === -1 ? ranks.length : after
  }
}

function isOneLine(chunk: Chunk): boolean {
  return chunk.body.indexOf('\n') === chunk.body.length - 1 && !/^[|>]/.test(firstValue(chunk).value)
}

function fingerprint(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
}
