/**
 * The log of changes: what one of its records says, and where they stand. A record is what one writer had waiting, and is there whole or
 * not at all. Whoever reads one is told when it is not one of ours; nothing is skipped.
 */
import type { ChangeRecord } from '../../codec/change-record.ts'
import { isChangeWith } from '../../codec/change-shape.ts'
import { isCount, isListOf, isMapping, isText, isTime } from '../../codec/head-shape.ts'
import { DamagedError, NewerError } from '../../errors.ts'
import { NumberedLog } from './log/numbered-log.ts'
import { parsed } from './parsed.ts'
import type { Shelf } from './server/shelf.ts'

export interface LogText {
  /**
   * The tag of the record right before; missing in the first of all. Whoever finds another one there knows that the server has lost what
   * was acknowledged, and that something else took its place.
   */
  readonly after?: string
  /** When it was written, by the server's clock: the times of the changes are the writer's, who may be wrong. Missing where it was moved here. */
  readonly serverAt?: string
  /** Oldest first. None: a purge of what was gone already. */
  readonly changes: readonly ChangeRecord[]
  /** Of a purge: from here on the feed is of this epoch. */
  readonly epoch?: string
  /** What a purge took away without a trace: whatever is told of these up to here does not count. */
  readonly gone?: readonly string[]
  /** Only for a purge: the agent that ran it. Its sessions lose the texts of world entries. */
  readonly agent?: string
  /** Of a purge: no seq from here on was ever given, also to what the log does not tell of any more. */
  readonly nextSeq?: number
}

/** Left out of a record, it is this one. */
const LOG_FORMAT = 1

export function changesLog(log: Shelf, generation: string): NumberedLog {
  return new NumberedLog(log, { generation, kind: 'c', prefix: `${generation}/c/` })
}

export function encodeLog(text: LogText): string {
  return JSON.stringify(text)
}

/** `record`: how an error names it. */
export function decodeLog(text: string, record: string): LogText {
  const value = parsed(text)
  if (!isMapping(value)) throw damagedRecord(record)
  const { format = LOG_FORMAT, after, serverAt, changes, epoch, gone, agent, nextSeq } = value
  if (typeof format === 'number' && format > LOG_FORMAT) throw new NewerError(record, format, LOG_FORMAT)
  const isRight =
    isListOf<ChangeRecord>(changes, (change) => isChangeWith(change, isText)) &&
    (after === undefined || isText(after)) &&
    (serverAt === undefined || isTime(serverAt)) &&
    (epoch === undefined || isText(epoch)) &&
    (gone === undefined || isListOf(gone, isText)) &&
    (agent === undefined || isText(agent)) &&
    (nextSeq === undefined || isCount(nextSeq))
  if (!isRight) throw damagedRecord(record)
  return value as unknown as LogText // each of its fields was looked at
}

/** `before`: the tag of the record right before this one; `undefined` where this is the first of all. */
export function refuseOtherBefore({ after }: LogText, before: string | undefined, record: string): void {
  if (after === before) return
  throw damagedRecord(
    record,
    'does not follow the one before it: the server has lost what stood there when it was written',
  )
}

export function recordName(generation: string, position: number): string {
  return `record ${generation}/c/${position} of keepsake-log`
}

export function damagedRecord(record: string, problem = 'is not what Keepsake writes'): DamagedError {
  return new DamagedError(
    record,
    problem,
    'Nothing was changed. Somebody else wrote to the collection, or the server lost something: put its data back from a backup.',
  )
}
