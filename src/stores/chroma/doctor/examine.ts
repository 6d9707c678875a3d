/**
 * `doctor` of a memory on a server: looks at every record of it and says what is wrong. Reading only. What keeps it from being looked at is
 * a finding too: the server is down, another one's, newer.
 */
import { isKeepsakeError, type KeepsakeError } from '../../../errors.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { bySeverity, type Checked, type Examination, type OnExamined } from '../../disk/doctor/examination.ts'
import { counted, type Finding, finding } from '../../disk/doctor/finding.ts'
import { type AskedSettings, otherSettings } from '../../disk/doctor/settings-differ.ts'
import type { FollowedMemory } from '../followed-memory.ts'
import { leftOverMoves } from '../moving/moving-in.ts'
import { nobodysParts } from '../purge/purge-parts.ts'
import { unfinishedPurges } from '../purge/purge-past.ts'
import { type Root, readRoot } from '../root.ts'
import type { Connection } from '../server/connection.ts'
import { checkLog } from './log-check.ts'
import { checkSnapshots } from './snapshot-check.ts'
import { checkEntries, checkFiles, checkSessions } from './text-checks.ts'

export interface ExamineServerOptions extends CallOptions {
  /** As the other commands would open it. */
  readonly wish?: AskedSettings
  readonly onProgress?: OnExamined
}

/** An examination, and what it was made of, for who mends. */
export interface Examined extends Examination {
  readonly root?: Root
  readonly memory?: FollowedMemory | undefined
}

const NOTHING: Checked = { files: 0, entries: 0, changes: 0, sessions: 0 }
const STEPS = 5

export async function examineServer(connection: Connection, options: ExamineServerOptions = {}): Promise<Examined> {
  try {
    await connection.check(callOf(options))
    const root = await readRoot(connection.log, callOf(options))
    return root ? await examineMemory(connection, root, options) : await withoutMemory(connection, options)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return { findings: [refusalFinding(error, connection)], checked: NOTHING }
  }
}

/** What keeps every other command from this memory, too. */
function refusalFinding(error: KeepsakeError, { address }: Connection): Finding {
  const codes = { FOREIGN: 'foreign-collection', NEWER: 'newer-server', DAMAGED: 'damaged-root' } as const
  const code = error.code in codes ? codes[error.code as keyof typeof codes] : 'unreachable-server' // it is one of them
  return finding(code, '.', error.message.replace(`${address} `, 'it '), error.hint ?? 'Look at the log of the server.')
}

async function withoutMemory(connection: Connection, options: ExamineServerOptions): Promise<Examined> {
  await connection.refuseForeign(callOf(options))
  const unfinished = await leftOverMoves({ log: connection.log, connection }, undefined, callOf(options))
  const hint = 'The first write makes it, or: keepsake init, keepsake move'
  const findings = [
    finding('no-workspace', '.', 'there is no memory here yet', hint),
    ...moveFindings(unfinished).map((one) => ({ ...one, fixable: false, hint: 'The next move to here removes it.' })),
  ]
  return { findings, checked: NOTHING }
}

async function examineMemory(connection: Connection, root: Root, options: ExamineServerOptions): Promise<Examined> {
  const { log } = connection
  const { wish = {}, onProgress } = options
  const { generation } = root
  const call = callOf(options)
  const checked = await checkLog(log, root, call)
  onProgress?.(1, STEPS)
  const isWhole = checked.findings.length === 0
  const { memory, findings: ofSnapshots } = await checkSnapshots(log, root, isWhole ? checked.records : undefined, call)
  onProgress?.(2, STEPS)
  const { sessions, findings: ofSessions } = await checkSessions(log, generation, call)
  onProgress?.(3, STEPS)
  const ofFiles = await checkFiles(log, generation, call)
  onProgress?.(4, STEPS)
  const entries = memory?.state.scan({}) ?? []
  const findings = [
    ...settingsFindings(root, wish),
    ...checked.findings,
    ...ofSnapshots,
    ...checkEntries(entries),
    ...ofSessions,
    ...ofFiles,
    ...(await vectorFindings(connection, generation, call)),
    ...(memory ? purgeFindings(await unfinishedPurges(log, generation, call)) : []),
    ...partFindings(await nobodysParts(log, generation, call)),
    ...moveFindings(await leftOverMoves({ log, connection }, generation, call)),
  ]
  onProgress?.(STEPS, STEPS)
  return {
    findings: findings.sort(bySeverity),
    checked: { files: 0, entries: entries.length, changes: checked.changes, sessions },
    root,
    memory,
  }
}

function settingsFindings({ settings }: Root, wish: AskedSettings): readonly Finding[] {
  return otherSettings(wish, settings).map(({ is, problem }) =>
    finding('settings-differ', '.', problem, `Ask for "${is}", or for nothing: what a memory was made with stays.`),
  )
}

/** Which are made anew, for who has a model: never damage. */
async function vectorFindings(
  { memories }: Connection,
  generation: string,
  call: CallOptions,
): Promise<readonly Finding[]> {
  const metadata = await memories.metadata(call)
  if (!metadata || metadata['keepsake'] === generation) return []
  const whose = metadata['keepsake'] === undefined ? "not Keepsake's" : 'of a memory that was here before'
  const hint = 'It is left as it is, and recall goes by words here. Name another database, or remove that collection.'
  return [finding('foreign-vectors', 'memories', `the collection is ${whose}`, hint)]
}

function purgeFindings(entries: number): readonly Finding[] {
  if (entries === 0) return []
  const problem = `the server still holds what ${counted(entries, 'entry', 'entries')} said that ${entries === 1 ? 'was' : 'were'} purged`
  const hint = 'A purge was cut short, or is under way; nobody reads it any more. --fix finishes it.'
  return [finding('unfinished-purge', 'keepsake-log', problem, hint)]
}

function partFindings(ids: readonly string[]): readonly Finding[] {
  const [first] = ids
  if (first === undefined) return []
  const problem = `${counted(ids.length, 'record', 'records')} of long texts that nothing refers to`
  const hint = 'A program that was stopped left them behind; nobody reads them. --fix removes them.'
  return [finding('stray-parts', first, problem, hint)]
}

function moveFindings(tries: number): readonly Finding[] {
  if (tries === 0) return []
  const problem = `what ${counted(tries, 'move', 'moves')} to this server left behind when stopped`
  return [finding('unfinished-move', 'adopting', problem, 'No part of the memory. --fix removes it.')]
}

function callOf({ signal }: CallOptions): CallOptions {
  return signal ? { signal } : {}
}
