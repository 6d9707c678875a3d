/**
 * The record that makes a memory: added once, and whoever's it is has made it. Everything else stands under its generation, so that
 * what an unfinished move or a lost race left is never taken for the memory. It is never changed.
 */
import { isCount, isMapping, isText, isTime } from '../../codec/head-shape.ts'
import { isKeepsakeError, NewerError } from '../../errors.ts'
import { instant } from '../../model/time.ts'
import type { CallOptions, Settings } from '../../ports/store.ts'
import { checkedSettings, type FoundSettings } from '../disk/checked-settings.ts'
import { damagedRecord } from './changes-log.ts'
import { parsed } from './parsed.ts'
import type { Shelf, ShelfRecord } from './server/shelf.ts'
import { isUnknown, unknownOutcome } from './server/unknown-outcome.ts'

/** Where in the log something is: its record, the last change in or before that, and the first seq that nobody had yet. */
export interface LogPoint {
  readonly position: number
  readonly number: number
  readonly nextSeq: number
}

export interface Root {
  readonly format: number
  readonly generation: string
  readonly settings: Settings
  readonly epoch: string
  readonly madeAt: string
  /** Where the log begins: its first record is the one behind this. */
  readonly at: LogPoint
}

const ROOT_ID = 'root'
const ROOT_FORMAT = 1
const ROOT_NAME = `record ${ROOT_ID} of keepsake-log`
const BEGINNING: LogPoint = { position: 0, number: 0, nextSeq: 1 }
const GENERATION_LETTERS = 12
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const MOST_TRIES = 4

export function newRoot(settings: Settings, nowMs: number, at: LogPoint = BEGINNING): Root {
  const madeAt = instant(nowMs)
  return { format: ROOT_FORMAT, generation: newGeneration(), settings, epoch: crypto.randomUUID(), madeAt, at }
}

/** `undefined`: there is no memory yet. */
export async function readRoot(log: Shelf, options?: CallOptions): Promise<Root | undefined> {
  const record = await rootRecord(log, options)
  return record && decodeRoot(record.text)
}

/**
 * Who lost finds the winner's with readRoot. Added twice is added once, so what may not have been done is done again. An error that
 * says `unknown: true` in its data leaves open whether it is there, or will be.
 */
export async function addRoot(log: Shelf, root: Root, options?: CallOptions): Promise<'won' | 'lost'> {
  const { generation } = root
  const record = recordOf(root)
  let cause: unknown
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    try {
      await log.add([record], options)
    } catch (error) {
      if (tries === 1 && !isUnknown(error)) throw error
      cause = error
    }
    const found = await readBack(log, options)
    if (found) return found.labels['g'] === generation ? 'won' : 'lost'
  }
  throw unknownOutcome(ROOT_ID, cause)
}

function recordOf(root: Root): ShelfRecord {
  return { id: ROOT_ID, text: JSON.stringify(root), labels: { g: root.generation, kind: 'root' } }
}

/** The log as if this root had been added. */
export function withRoot(log: Shelf, root: Root): Shelf {
  return {
    add: (...given) => log.add(...given),
    put: (...given) => log.put(...given),
    find: (...given) => log.find(...given),
    findIds: (...given) => log.findIds(...given),
    remove: (...given) => log.remove(...given),
    async get(ids, options) {
      const found = await log.get(ids, options)
      return ids.includes(ROOT_ID) ? new Map([...found, [ROOT_ID, recordOf(root)]]) : found
    },
  }
}

async function readBack(log: Shelf, options: CallOptions | undefined): Promise<ShelfRecord | undefined> {
  try {
    return await rootRecord(log, options)
  } catch (error) {
    throw isKeepsakeError(error) ? unknownOutcome(ROOT_ID, error) : error
  }
}

async function rootRecord(log: Shelf, options: CallOptions | undefined): Promise<ShelfRecord | undefined> {
  return (await log.get([ROOT_ID], options)).get(ROOT_ID)
}

function decodeRoot(text: string): Root {
  const value = parsed(text)
  if (!isMapping(value)) throw damagedRecord(ROOT_NAME)
  const { format, generation, settings, epoch, madeAt, at } = value
  if (typeof format === 'number' && format > ROOT_FORMAT) throw new NewerError(ROOT_NAME, format, ROOT_FORMAT)
  const isRight =
    format === ROOT_FORMAT &&
    isText(generation) &&
    isText(epoch) &&
    isTime(madeAt) &&
    isMapping(settings) &&
    isMapping(at) &&
    [at['position'], at['number'], at['nextSeq']].every(isCount)
  if (!isRight) throw damagedRecord(ROOT_NAME)
  const checked = checkedSettings(ROOT_NAME, settings as FoundSettings, (problem) =>
    damagedRecord(ROOT_NAME, `in its settings ${problem}`),
  )
  return { format, generation, settings: checked, epoch, madeAt, at: at as unknown as LogPoint } // each was looked at
}

function newGeneration(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GENERATION_LETTERS))
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('')
}
