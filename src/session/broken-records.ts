/**
 * Records that say they are ours and can't be read as such: a person may have written them. They are reported and passed over, as
 * lines that can't be read are. Pure.
 */
import type { JsonValue } from '../model/entry.ts'
import { parseInstant } from '../model/time.ts'
import type { SessionRecord } from '../ports/store.ts'
import { isText, parseRecord, ROLES } from './records.ts'

/** Something in a transcript that could not be read. */
export interface BrokenLine {
  /** Where it is known: a line that is whole may hold several records. */
  readonly line?: number
  readonly problem: string
}

const OURS: readonly (JsonValue | undefined)[] = ['turn', 'revision', 'marker', 'unmark', 'slid', 'replaced']

export function brokenRecords(records: readonly SessionRecord[]): BrokenLine[] {
  return records.flatMap((record) =>
    OURS.includes(record['type']) && !parseRecord(record) ? { problem: problemOf(record) } : [],
  )
}

function problemOf(record: SessionRecord): string {
  const { type, id } = record
  const called = isText(id) ? ` ${JSON.stringify(id)}` : ''
  return `a ${String(type)}${called} ${type === 'turn' ? turnLacks(record) : 'lacks what it needs'}`
}

function turnLacks({ id, role, at }: SessionRecord): string {
  if (!isText(id)) return 'has no id'
  if (!ROLES.some((one) => one === role)) return `has none of the roles ${ROLES.join(', ')}`
  return parseInstant(at) === undefined ? 'has no time that can be read' : 'has no content'
}
