/**
 * Forgetting for good: entries are removed with all that the journal, the sessions, the derived data and the backups have of
 * them. What is under way is noted first, so that a crash in the middle is finished by the next writer.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { decodeJournal, encodeHeader, encodeRecord } from '../../../codec/journal-record.ts'
import { isKeepsakeError } from '../../../errors.ts'
import { KINDS } from '../../../model/kinds.ts'
import type { Operation } from '../../../model/operation.ts'
import type { Purged } from '../../../ports/store.ts'
import { namesIn } from '../../disk/list-folder.ts'
import { othersPast } from '../../disk/others-past.ts'
import { isTooShort, needlesOf } from '../../disk/purge-needles.ts'
import { purgedTranscript } from '../../disk/purged-transcript.ts'
import { decodeText, readFileAt, statFile } from '../../disk/reading.ts'
import { removeFile, replaceFileDurably } from '../../disk/system.ts'
import { rewriteArchive } from '../backup/archive-rewrite.ts'
import { knownBackups } from '../backup/known-backups.ts'
import { restoreTraces } from '../backup/switch-workspace.ts'
import { removeDerived } from '../derived.ts'
import { digest, type Journal } from '../journal.ts'
import { type Place, PURGE_NOTE } from '../layout.ts'
import { leftByMoves } from '../move/leftovers.ts'
import type { Workspace } from '../workspace.ts'
import type { Writer } from '../writer.ts'
import { readHistory } from './history.ts'
import { filesHolding, gitFolderOf } from './purge-leftovers.ts'
import { RecordPurge, withoutBlocks } from './purge-records.ts'
import { purgeSessions } from './purge-sessions.ts'

export async function purge(
  workspace: Workspace,
  writer: Writer,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Purged> {
  return writer.exclusively(() => purgeHeld(workspace, writer, ids), signal)
}

/** Called by whoever holds the lock and finds that a purge was begun. */
export async function finishPurge(workspace: Workspace, writer: Writer): Promise<void> {
  const file = readFileAt(notePath(workspace))
  if (!file) return
  const { ids, needles } = JSON.parse(decodeText(file.bytes) ?? '') as Note // we wrote it
  await purgeHeld(workspace, writer, ids, needles)
}

/** What is under way. It holds the texts too, for once they are gone from the journal nobody could look for them any more. */
interface Note {
  readonly ids: readonly string[]
  readonly needles?: readonly string[]
}

function notePath({ stateFolder }: Workspace): string {
  return join(stateFolder, PURGE_NOTE)
}

async function purgeHeld(
  workspace: Workspace,
  writer: Writer,
  given: readonly string[],
  noted: readonly string[] = [],
): Promise<Purged> {
  const { stateFolder, catalog } = workspace
  const ids = new Set(given)
  const temporary = join(stateFolder, 'tmp')
  const texts = textsOf(workspace, ids)
  const needles = [...new Set([...noted, ...needlesOf(texts)])]
  const note: Note = { ids: given, needles }
  await replaceFileDurably(notePath(workspace), Buffer.from(JSON.stringify(note)), temporary)
  const there = given.filter((id) => catalog.head(id) !== undefined)
  await removeEntries(workspace, writer, there)
  const cleaned: string[] = []
  const sessions = await purgeSessions(workspace, needles)
  if (sessions > 0) cleaned.push(`${sessions} session${sessions === 1 ? '' : 's'} that said it`)
  const aside = join(stateFolder, 'aside')
  if (statFile(aside)) for (const path of filesHolding(aside, needles)) removeFile(join(aside, path))
  await writer.startOver()
  // After the feed has started over: see derived.ts.
  removeDerived(stateFolder)
  // One that was being made there: its maker has ended, or finds that it is gone and does without.
  for (const name of namesIn(temporary)) removeFile(join(temporary, name))
  const purging = newPurge(workspace, ids)
  await purgeJournal(workspace, purging)
  cleaned.unshift(`${there.length === 0 ? 'the' : 'its files, the'} journal and everything derived from it`)
  const outOfReach: string[] = []
  await purgeBackups(workspace, ids, needles, { cleaned, outOfReach })
  removeFile(notePath(workspace))
  if (isTooShort(texts)) {
    outOfReach.push('sessions and other files that say it: the text is too short to be looked for by itself')
  }
  outOfReach.push(...othersPast(readHistory(workspace), needles))
  for (const path of filesHolding(workspace.root, needles)) {
    outOfReach.push(`${path} holds the same text and is not ours, or another entry's: look at it yourself`)
  }
  for (const folder of restoreTraces(workspace.root).before) {
    outOfReach.push(`${folder}, which is how the workspace was before a restore: remove it if you need it no more`)
  }
  for (const path of leftByMoves(workspace.root)) {
    outOfReach.push(`${path}, which a move or an export left when it was stopped: remove it, unless one is running`)
  }
  const git = gitFolderOf(workspace.root)
  if (git !== undefined) outOfReach.push(`the history of the git repository in ${git}, if it was committed`)
  outOfReach.push('copies that other programs made: syncs, snapshots, backups elsewhere, an agent that has read it')
  return { cleaned, outOfReach }
}

/** In one change, so that nobody finds one without what belongs to it. A file that can't be read can't be rewritten either: it goes as it is. */
async function removeEntries(workspace: Workspace, writer: Writer, ids: readonly string[]): Promise<void> {
  const operations: Operation[] = []
  for (const id of ids) {
    const { kind, path } = workspace.catalog.head(id) ?? {}
    if (kind !== undefined && path !== undefined && KINDS[kind].shape !== 'log' && !workspace.files.view().get(id)) {
      workspace.refuseLinks(path)
      removeFile(workspace.absolute(path))
      await writer.absorbHeld((edit) => edit.before?.id === id)
    } else operations.push({ op: 'remove', id })
  }
  if (operations.length > 0) await writer.applyHeld({ operations, origin: { by: 'hand' } })
}

/** Every text that the entries ever had. */
function textsOf(workspace: Workspace, ids: ReadonlySet<string>): string[] {
  const { entries, changes } = readHistory(workspace)
  const texts = new Set(entries.filter(({ id }) => ids.has(id)).map(({ content }) => content))
  for (const { touched } of changes) {
    for (const { id, after } of touched) if (after && ids.has(id)) texts.add(after.content)
  }
  for (const id of ids) texts.add(workspace.files.view().get(id)?.content ?? '')
  texts.delete('')
  return [...texts]
}

function newPurge(workspace: Workspace, ids: ReadonlySet<string>): RecordPurge {
  return new RecordPurge(ids, workspace.layout, (place, text) => withoutEntries(workspace, ids, place, text))
}

function withoutEntries(workspace: Workspace, ids: ReadonlySet<string>, place: Place, text: string): string {
  const { entries, log } = workspace.files.say(place, Buffer.from(text), 0)
  return log ? withoutBlocks(log, (index) => ids.has(entries[index]?.id ?? '')) : text
}

/** Every closed segment, and what stands before one, of every history that is kept here. */
async function purgeJournal({ journal, state }: Workspace, purging: RecordPurge): Promise<void> {
  for (const segment of journal.segments()) {
    if (journal.hasBase(segment)) await purgeFile(journal, journal.basePathOf(segment), purging)
    if (segment !== state?.position.segment) await purgeFile(journal, journal.pathOf(segment), purging)
  }
}

async function purgeFile(journal: Journal, path: string, purging: RecordPurge): Promise<void> {
  const bytes = readFileAt(path)?.bytes
  if (!bytes) return
  await journal.rewrite(path, purgedSegment(bytes, purging))
}

/** The lines of a segment without the entries. What is damaged can't be read, and so can't be kept. */
function purgedSegment(bytes: Uint8Array, purging: RecordPurge): (inode?: number) => Uint8Array {
  const { lines } = decodeJournal(bytes, digest)
  const records = lines.flatMap((line) => ('record' in line ? [encodeRecord(purging.purged(line.record), digest)] : []))
  const [first] = lines
  const header = first && 'header' in first ? first.header : undefined
  return (inode = header?.inode ?? 0) =>
    Buffer.concat([...(header ? [encodeHeader({ ...header, inode }, digest)] : []), ...records])
}

async function purgeBackups(
  workspace: Workspace,
  ids: ReadonlySet<string>,
  needles: readonly string[],
  told: { readonly cleaned: string[]; readonly outOfReach: string[] },
): Promise<void> {
  for (const path of backupsOf(workspace)) {
    try {
      const purging = newPurge(workspace, ids)
      const purged = (inside: string, bytes: Uint8Array): Uint8Array | undefined =>
        purgedMember(workspace, ids, needles, purging, inside, bytes)
      if (await rewriteArchive(path, purged)) {
        told.cleaned.push(`the backup ${path}`)
      }
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      told.outOfReach.push(`the backup ${path}: ${error.message}`)
    }
  }
}

/** A file of a backup. Its journal comes first, and tells what lies where. */
function purgedMember(
  workspace: Workspace,
  ids: ReadonlySet<string>,
  needles: readonly string[],
  purging: RecordPurge,
  inside: string,
  bytes: Uint8Array,
): Uint8Array | undefined {
  if (inside.startsWith('.state/journal/')) return purgedSegment(bytes, purging)()
  // It is made anew from the journal, which it would no longer fit.
  if (inside.startsWith('.state/checkpoint')) return undefined
  if (inside.endsWith('.jsonl')) return purgedTranscript(bytes, needles)
  const place = purging.placeAt(inside)
  const text = place && decodeText(bytes)
  if (!place || text === undefined) return bytes
  const { entries, log } = workspace.files.say(place, bytes, 0)
  if (log) return Buffer.from(withoutEntries(workspace, ids, place, text))
  return ids.has(entries[0]?.id ?? '') ? undefined : bytes
}

function backupsOf({ stateFolder }: Workspace): string[] {
  const folder = join(stateFolder, 'backups')
  const own = statFile(folder)?.isDirectory() ? readdirSync(folder).map((name) => join(folder, name)) : []
  return [...new Set([...knownBackups(stateFolder).map(({ path }) => path), ...own])]
}
