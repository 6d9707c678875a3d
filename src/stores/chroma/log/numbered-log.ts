/**
 * An ordered log on a shelf, for any number of writers that know nothing of each other. Whoever adds the record with the next
 * position first has won it: the server leaves a record that is there as it is, and reading it back tells whose it is.
 * Invariants: a position is won once and is never free again, also where its record was erased; the numbered record commits, so
 * the parts of a long text are there before it is; who is told won or lost can rely on it. Which record an append may stand behind is
 * not known here: a writer appends behind the last one that it has read.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isKeepsakeError } from '../../../errors.ts'
import type { CallOptions } from '../../../ports/store.ts'
import type { Shelf, ShelfRecord } from '../server/shelf.ts'
import { isUnknown, unknownOutcome, withOutcome } from '../server/unknown-outcome.ts'
import { followLog, type LogReadOptions, lastOf, readLog } from './log-reader.ts'
import {
  damaged,
  erasedRecord,
  idAt,
  type KnownRecord,
  type LogPlace,
  type LogRecord,
  newRecord,
  tagOf,
} from './log-record.ts'
import { type PartsNote, readParts, removeParts } from './parts.ts'

export type { LogRecord } from './log-record.ts'

export interface AppendOptions extends CallOptions {
  /** So long it is tried to learn what came of a record that was sent, besides the last request. Left out: as long as one may take. */
  readonly patienceMs?: number
  /** One that no other append has, for who wants to follow its own record. Left out: a new one. */
  readonly tag?: string
}

export interface FillOptions extends CallOptions {
  /** One for each, that no other append has. Left out: new ones. */
  readonly tags?: readonly string[]
}

/** On a shelf that has no limit. */
const PATIENCE_MS = 10_000
const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 500
const MOST_REWRITES = 8

export class NumberedLog {
  readonly #shelf: Shelf
  readonly #place: LogPlace

  constructor(shelf: Shelf, place: LogPlace) {
    this.#shelf = shelf
    this.#place = place
  }

  /** Those right behind `after`, without a gap; `undefined` where one of them was erased. */
  read(after: number, options?: LogReadOptions): Promise<readonly LogRecord[] | undefined> {
    return readLog(this.#shelf, this.#place, after, options)
  }

  /** Those behind one that was read; `undefined` where it is not there any more, or something behind it was erased. */
  follow(known: KnownRecord, options?: CallOptions): Promise<readonly LogRecord[] | undefined> {
    return followLog(this.#shelf, this.#place, known, options)
  }

  /** The last position that is taken, found without reading all; `known` is taken, or the one before the first. */
  last(known = 0, options?: CallOptions): Promise<number> {
    return lastOf(this.#shelf, this.#place, known, options)
  }

  /**
   * Durable when it is told. An error that says `unknown: true` in its data leaves open whether it is there, or will be; after every other
   * one it is not and never will be. The signal counts until the record is sent.
   */
  async append(
    position: number,
    text: string,
    { signal, patienceMs = this.#shelf.requestMs ?? PATIENCE_MS, tag = crypto.randomUUID() }: AppendOptions = {},
  ): Promise<'won' | 'lost'> {
    const id = idAt(this.#place, position)
    const options = signal ? { signal } : {}
    // To lose by an `add` takes everybody ten times as long.
    if ((await this.#shelf.get([id], options)).has(id)) return 'lost'
    const { record, parts } = newRecord(this.#place, { position, tag, text })
    if (parts) await certainly(this.#shelf.add(parts.records, options))
    signal?.throwIfAborted()
    const winner = await this.#commit(record, patienceMs)
    if (winner === tag) return 'won'
    if (parts) await this.#removeParts([parts.note])
    return 'lost'
  }

  /** The tag of whose record it is. The same record is added as often as it takes: only the first can be the one that stays. */
  async #commit(record: ShelfRecord, patienceMs: number): Promise<string> {
    const end = performance.now() + patienceMs
    let isSent = false
    let cause: unknown
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        await this.#shelf.add([record])
      } catch (error) {
        if (!isSent && !isUnknown(error)) throw error
        cause = error
      }
      isSent = true
      try {
        const there = (await this.#shelf.get([record.id])).get(record.id)
        if (there) return tagOf(there)
      } catch (error) {
        cause = error
      }
      if (isClosed(cause) || performance.now() + waitMs > end) throw unknownOutcome(record.id, cause)
      // Whoever else waits for the same server does not come back at the same moment.
      await sleep(waitMs * (0.5 + Math.random()))
    }
  }

  /** Many at once, where nobody else appends: nothing is looked at. A second time it adds what is not there yet, with other tags. */
  async fill(after: number, texts: readonly string[], { tags = [], ...options }: FillOptions = {}): Promise<void> {
    const made = texts.map((text, at) => {
      const tag = tags[at] ?? crypto.randomUUID()
      return newRecord(this.#place, { position: after + 1 + at, tag, text })
    })
    const parts = made.flatMap((one) => one.parts?.records ?? [])
    if (parts.length > 0) await this.#shelf.add(parts, options)
    await this.#shelf.add(
      made.map(({ record }) => record),
      options,
    )
  }

  /** In its place, with its tag: whoever appended it still finds it to be its own. */
  async rewrite({ position, tag, parts: old }: LogRecord, text: string, options?: CallOptions): Promise<void> {
    for (let tries = 1; !(await this.#isRewritten({ position, tag, text }, options)); tries++) {
      if (tries === MOST_REWRITES) throw damaged(idAt(this.#place, position), 'its parts are removed again and again')
    }
    if (old) await removeParts(this.#shelf, this.#place.generation, [old], options)
  }

  /** Whoever removes what belongs to nobody may have met the parts before the record that names them: then they are gone. */
  async #isRewritten(told: Omit<LogRecord, 'parts'>, options?: CallOptions): Promise<boolean> {
    const { record, parts } = newRecord(this.#place, told)
    if (parts) await this.#shelf.add(parts.records, options)
    await this.#shelf.put([record], options)
    return !parts || (await readParts(this.#shelf, this.#place.generation, parts.note, options)) !== undefined
  }

  /** Takes what they say out of the log, and leaves their positions taken. */
  async erase(records: readonly LogRecord[], options?: CallOptions): Promise<void> {
    const erased = records.map((record) => erasedRecord(this.#place, record))
    if (erased.length > 0) await this.#shelf.put(erased, options)
    const parts = records.flatMap((record) => record.parts ?? [])
    await removeParts(this.#shelf, this.#place.generation, parts, options)
  }

  /** Of an append that has lost: nobody will ever read them, so it is no harm if they stay. */
  async #removeParts(notes: readonly PartsNote[]): Promise<void> {
    try {
      await removeParts(this.#shelf, this.#place.generation, notes)
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
    }
  }
}

/** Without the record that refers to them, parts are nothing: whatever became of them, nothing was appended. */
async function certainly(writing: Promise<void>): Promise<void> {
  try {
    await writing
  } catch (error) {
    throw isUnknown(error) ? withOutcome(error, { unknown: false }) : error
  }
}

/** Whoever closes the connection does not wait for what was sent, and nobody can ask any more. */
function isClosed(error: unknown): boolean {
  return isKeepsakeError(error) && error.code === 'CLOSED'
}
