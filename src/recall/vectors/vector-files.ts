/**
 * Where vectors are kept: in the store's derived data, by scope and model, in blocks. Those of another model are not touched, so
 * that who switches back finds them. Only the holder of the lease writes; a crash between two writes leaves blocks that are
 * right by themselves (see block.ts). What could not be kept is made anew.
 */
import type { Cursor, Derived } from '../../ports/store.ts'
import {
  BLOCK_ROWS,
  type Block,
  decodeBlock,
  decodeHead,
  encodeBlock,
  encodeHead,
  type Head,
  type VectorSet,
} from './block.ts'
import { breath } from './breath.ts'
import { VectorRows } from './vector-rows.ts'

/** A block takes milliseconds to read. */
const BLOCKS_PER_BREATH = 4

export class VectorFiles {
  readonly #derived: Derived
  readonly #set: VectorSet

  constructor(derived: Derived, set: VectorSet) {
    this.#derived = derived
    this.#set = set
  }

  async head(): Promise<Head | undefined> {
    const bytes = await this.#derived.read(this.#headKey)
    return bytes && decodeHead(this.#set, bytes)
  }

  /** All that is there. `isWhole`: rows have the numbers that the files give them. */
  async read(head: Head): Promise<{ readonly rows: VectorRows; readonly isWhole: boolean }> {
    const rows = new VectorRows(head.dimensions)
    const blocks = blocksOf(head.rows)
    let isWhole = true
    for (let number = 0; number < blocks; number++) {
      const block = await this.#block(head, number)
      isWhole &&= block?.generation === head.generation && rows.rows === number * BLOCK_ROWS
      if (block) rows.take(block)
      if (number % BLOCKS_PER_BREATH === BLOCKS_PER_BREATH - 1) await breath()
    }
    // A crash may have kept the head from being written after the block.
    const more = isWhole && rows.rows === blocks * BLOCK_ROWS ? await this.#block(head, blocks) : undefined
    if (more?.generation === head.generation) rows.take(more)
    return { rows, isWhole }
  }

  /** The rows that were saved behind these, which are otherwise the same. Whether all are there now. */
  async readOn(head: Head, rows: VectorRows): Promise<boolean> {
    while (rows.rows < head.rows) {
      const number = Math.floor(rows.rows / BLOCK_ROWS)
      const from = rows.rows - number * BLOCK_ROWS
      const block = await this.#block(head, number)
      if (block?.generation !== head.generation || block.rows.length <= from) return false
      rows.take(block, from)
    }
    return true
  }

  /** What changed of the rows, then the head. False: not all of it was kept. `before`: how many rows the files have so far. */
  async write(rows: VectorRows, head: Head, before: number, madeFrom: Cursor): Promise<boolean> {
    const changed = [...rows.changedBlocks].sort((a, b) => a - b)
    for (const number of changed) {
      // First, for the rows may change while it is written.
      rows.isSaved(number)
      const bytes = encodeBlock(this.#set, head, rows.block(number))
      if (!(await this.#derived.write(this.#blockKey(number), bytes, madeFrom))) {
        rows.changed(number)
        return false
      }
      await breath()
    }
    const kept = await this.#derived.write(this.#headKey, encodeHead(this.#set, head), madeFrom)
    // Without it nobody finds them: all are written again.
    if (!kept) for (const number of changed) rows.changed(number)
    // Files can't be removed, but they need not be large.
    for (let number = blocksOf(head.rows); kept && number < blocksOf(before); number++) {
      await this.#derived.write(this.#blockKey(number), new Uint8Array(0), madeFrom)
    }
    return kept
  }

  async #block(head: Head, number: number): Promise<(Block & { readonly generation: number }) | undefined> {
    const bytes = await this.#derived.read(this.#blockKey(number))
    return bytes && decodeBlock(this.#set, head, bytes)
  }

  /** No scope has a slash, so that no two keys are alike. */
  get #headKey(): string {
    return `vectors-${this.#set.scope}/${this.#set.model}`
  }

  #blockKey(number: number): string {
    return `vectors.${number}-${this.#set.scope}/${this.#set.model}`
  }
}

function blocksOf(rows: number): number {
  return Math.ceil(rows / BLOCK_ROWS)
}
