/**
 * The log of changes, record by record: none is missing, each can be read, and what they come to. Others may write meanwhile: what seems
 * to be missing is looked for once more before anything is said.
 */
import { isKeepsakeError } from '../../../errors.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { counted, type Finding, finding, saidOf } from '../../disk/doctor/finding.ts'
import { decodeLog, recordName, refuseOtherBefore } from '../changes-log.ts'
import { MOST_READINGS } from '../history.ts'
import { openRecord } from '../log/log-reader.ts'
import { isErased, type LogRecord } from '../log/log-record.ts'
import type { LogPoint, Root } from '../root.ts'
import type { Shelf, ShelfRecord } from '../server/shelf.ts'
import { snapshotNotes } from '../snapshots.ts'

export interface CheckedLog {
  readonly findings: readonly Finding[]
  /** Those behind the beginning, in their order; not all of them where something is wrong. */
  readonly records: readonly LogRecord[]
  readonly changes: number
}

const PUT_BACK =
  'Nothing was changed. Put the data of the server back from a backup, or move the memory here again from a copy.'

const EMPTIED = 'the record was emptied, and nothing that stands for the log up to it is there'

export async function checkLog(
  log: Shelf,
  root: Root,
  options: CallOptions,
  readings: number = MOST_READINGS,
): Promise<CheckedLog> {
  const { generation, at } = root
  const found = new Map(
    (await log.find({ g: generation, kind: 'c' }, options)).map((one) => [Number(one.labels['n']), one]),
  )
  // After the log: what was cut off meanwhile lies before it.
  const [base] = await snapshotNotes(log, generation, 'b', options)
  const from: LogPoint = base ?? at
  const last = [...found.keys()].reduce((most, position) => Math.max(most, position), from.position)
  const missing = await stillMissing(log, generation, { from: from.position, last, found }, options)
  const rows = [...found].filter(([position]) => position > from.position).sort(([a], [b]) => a - b)
  const read = await readEach(
    log,
    generation,
    rows.map(([, record]) => record),
    options,
  )
  // Others may have cut off the past while it was read.
  const { emptied, ...checked } = read
  const [now] = emptied.length > 0 ? await snapshotNotes(log, generation, 'b', options) : []
  if (readings > 0 && now && now.position > from.position) return checkLog(log, root, options, readings - 1)
  const gaps = emptied.map((id) => finding('log-gap', id, EMPTIED, PUT_BACK))
  return { ...checked, findings: [...gapFindings(generation, missing), ...gaps, ...checked.findings] }
}

interface Range {
  readonly from: number
  readonly last: number
  readonly found: ReadonlyMap<number, ShelfRecord>
}

async function stillMissing(
  log: Shelf,
  generation: string,
  { from, last, found }: Range,
  options: CallOptions,
): Promise<readonly number[]> {
  const positions = Array.from({ length: last - from }, (_, at) => from + 1 + at)
  const missing = positions.filter((position) => !found.has(position))
  if (missing.length === 0) return []
  const ids = missing.map((position) => `${generation}/c/${position}`)
  const now = await log.get(ids, options)
  return missing.filter((_, index) => !now.has(ids[index] ?? ''))
}

function gapFindings(generation: string, missing: readonly number[]): readonly Finding[] {
  const [first] = missing
  if (first === undefined) return []
  const more = missing.length > 1 ? `, and ${counted(missing.length - 1, 'record', 'records')} more` : ''
  const problem = `the log has no record ${first}${more}: what was written then can not be told`
  return [finding('log-gap', `${generation}/c/${first}`, problem, PUT_BACK)]
}

async function readEach(
  log: Shelf,
  generation: string,
  rows: readonly ShelfRecord[],
  options: CallOptions,
): Promise<CheckedLog & { readonly emptied: readonly string[] }> {
  const findings: Finding[] = []
  const emptied: string[] = []
  const records: LogRecord[] = []
  let changes = 0
  for (const row of rows) {
    try {
      const record = await openRecord(log, generation, row, options)
      if (!record || isErased(row)) {
        emptied.push(row.id)
        continue
      }
      const name = recordName(generation, record.position)
      const text = decodeLog(record.text, name)
      const before = records.at(-1)
      if (before?.position === record.position - 1) refuseOtherBefore(text, before.tag, name)
      changes += text.changes.length
      records.push(record)
    } catch (error) {
      if (!isKeepsakeError(error) || !isAboutRecord(error.code)) throw error
      findings.push(finding('damaged-log', row.id, saidOf(error), PUT_BACK))
    }
  }
  return { findings, records, changes, emptied }
}

function isAboutRecord(code: string): boolean {
  return code === 'DAMAGED' || code === 'NEWER'
}
