/**
 * Purging: a new file replaces this one in one step, without any version of these entries, without derived data, and with
 * transcripts redacted by the rule of model/redaction.ts. A crash leaves either the old file or the new one.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ChangeRecord } from '../../codec/change-record.ts'
import type { Origin, Scope } from '../../model/entry.ts'
import {
  collectPurged,
  entryOccurrences,
  fileMentions,
  type Occurrence,
  type PurgedText,
  type Redactions,
  redactedSessionsText,
  redactionsFor,
  shortTextNotice,
  transcriptMentions,
} from '../../model/redaction.ts'
import { instant } from '../../model/time.ts'
import type { Purged } from '../../ports/store.ts'
import { namesIn } from '../disk/list-folder.ts'
import { removeFile } from '../disk/system.ts'
import { isNamedUnfinished, sweepUnfinished } from '../disk/unfinished.ts'
import type { FollowedFile } from './follower.ts'
import { keptFileAt, wholeTranscript } from './image.ts'
import { isTemporary, isUnfinishedMove } from './new-file.ts'
import { readHistory } from './past.ts'
import { getEntry } from './reader.ts'
import type { FileTurn } from './writer.ts'

export interface PurgeOptions {
  readonly ids: readonly string[]
  readonly origin: Origin
  readonly nowMs: number
  readonly sidecar: string
  /** Texts that the entries have, or had, in the memory that this file is a backup of. */
  readonly texts?: readonly PurgedText[]
}

/** Also returns the texts of the entries, for purging the backups. */
export async function purge(
  turn: FileTurn,
  { ids: given, origin, nowMs, sidecar, texts: others = [] }: PurgeOptions,
): Promise<Purged & { readonly texts: readonly PurgedText[] }> {
  const { state } = turn
  const ids = new Set(given)
  const { entries, changes } = readHistory(state)
  const present = given.flatMap((id) => getEntry(state, id) ?? [])
  const purged = collectPurged({ entries: [...entries, ...present], changes }, ids, origin.agent)
  const texts = [...purged.texts, ...others]
  const redactions = redactionsFor(texts)
  const isThere = given.some((id) => state.catalogue.head(id) !== undefined)
  const before = state.catalogue.files.size
  const sessions = await turn.rebuild({
    epoch: crypto.randomUUID(),
    purging: { ids, redactions, change: purgeChange(state, origin, purged.scopes, nowMs) },
  })
  const { path } = turn.state.file
  removeLeftOvers(path, sidecar)
  const cleaned = [
    `${isThere ? 'the entries, the' : 'the'} record of changes and everything derived from it`,
    ...redactedSessionsText(sessions),
  ]
  const files = before - turn.state.catalogue.files.size
  if (files > 0) cleaned.push(`${files} file${files === 1 ? '' : 's'} that came from a folder with its text`)
  const occurrences = occurrencesIn(turn.state, redactions)
  return { cleaned, occurrences, outOfReach: outOfReach(path, redactions), texts }
}

/** What stopped programs left: each may be a whole copy. Nobody else is at those in the sidecar, for the lock is held. */
function removeLeftOvers(path: string, sidecar: string): void {
  for (const name of namesIn(sidecar)) {
    if (isTemporary(name) || isUnfinishedMove(name)) removeFile(join(sidecar, name))
  }
  sweepUnfinished('archive', dirname(path))
  sweepUnfinished('restore', dirname(path))
}

/** The change that removed them, without them: the numbers go on. */
function purgeChange(
  { catalogue }: FollowedFile,
  origin: Origin,
  purged: readonly Scope[],
  nowMs: number,
): ChangeRecord {
  return { number: catalogue.number + 1, at: instant(nowMs), origin, operations: [], set: [], purged }
}

function occurrencesIn(state: FollowedFile, redactions: Redactions): Occurrence[] {
  const { file, catalogue } = state
  const found = entryOccurrences(readHistory(state), redactions)
  for (const session of catalogue.sessions()) {
    const { scope, key } = session
    if (transcriptMentions(wholeTranscript(file, session), redactions)) found.push({ in: 'session', scope, key })
  }
  for (const [path, at] of catalogue.files) {
    if (fileMentions(keptFileAt(file, at).bytes, redactions)) found.push({ in: 'file', path })
  }
  return found
}

function outOfReach(path: string, redactions: Redactions): string[] {
  const told = shortTextNotice(redactions)
  const stem = basename(path)
  for (const name of namesIn(dirname(path))) {
    if (name.startsWith(`${stem}.before-`) || name.startsWith(`${stem}.damaged-`)) {
      told.push(`${join(dirname(path), name)}, an earlier state of the file: remove it if you need it no more`)
    }
    if (isNamedUnfinished(name)) {
      told.push(`${join(dirname(path), name)}, an unfinished backup or restore: remove it if nobody is at it`)
    }
  }
  const git = gitFolderOf(dirname(path))
  if (git !== undefined) told.push(`the history of the git repository in ${git}, if it was committed`)
  told.push('copies of the file: syncs, snapshots, backups elsewhere; and an agent that has read it')
  return told
}

function gitFolderOf(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return undefined
  }
}
