/**
 * Deletes entries from the files, the journal and the derived data, and removes their texts from sessions. No other file is changed:
 * files that still contain the words, and known backups, are listed. A note of the purge is written first, so that
 * the next writer can finish it after a crash.
 */
import { basename, join } from 'node:path'
import { decodeJournal, encodeHeader, encodeRecord } from '../../../codec/journal-record.ts'
import type { Origin, Scope } from '../../../model/entry.ts'
import { KINDS } from '../../../model/kinds.ts'
import type { Change, Operation } from '../../../model/operation.ts'
import {
  backupNotices,
  collectPurged,
  elsewhereNotices,
  entryOccurrences,
  fileMentions,
  type Occurrence,
  type PurgedText,
  type Redactions,
  redactedSessionsText,
  redactionsFor,
  redactTranscript,
  shortTextNotice,
  transcriptMentions,
} from '../../../model/redaction.ts'
import type { Purged, PurgeOptions } from '../../../ports/store.ts'
import { gitFolder, listFolder, namesIn } from '../../disk/list-folder.ts'
import { decodeText, readFileAt } from '../../disk/reading.ts'
import { readMetadata } from '../../disk/session-file.ts'
import { keyOfFile } from '../../disk/session-metadata.ts'
import { removeFile, replaceFileDurably } from '../../disk/system.ts'
import { removeDerived } from '../derived.ts'
import { digest, type Journal } from '../journal.ts'
import { knownBackups } from '../known-backups.ts'
import { type Layout, mirrorPath, type Place, PURGE_NOTE, STATE_FOLDER } from '../layout.ts'
import { fixCopies, moveLeftovers } from '../move/leftovers.ts'
import { agentIdOf } from '../move/places.ts'
import { lookInto } from '../transcript-file.ts'
import type { Workspace } from '../workspace.ts'
import type { Writer } from '../writer.ts'
import { readHistory } from './history.ts'
import { RecordPurge, withoutBlocks } from './purge-records.ts'

/** Holds the ends of transcripts that `doctor --fix` cut off, in a folder per fix. */
const ASIDE = `${STATE_FOLDER}/aside`

export async function purge(
  workspace: Workspace,
  writer: Writer,
  ids: readonly string[],
  { signal, origin = { by: 'user' } }: PurgeOptions,
): Promise<Purged> {
  return writer.exclusively(() => purgeHeld(workspace, writer, newNote(workspace, ids, origin)), signal)
}

/** Called by whoever holds the lock and finds that a purge was begun. */
export async function finishPurge(workspace: Workspace, writer: Writer): Promise<void> {
  const file = readFileAt(notePath(workspace))
  if (!file) return
  const note = JSON.parse(decodeText(file.bytes) ?? '') as Note | Pick<Note, 'ids'> // we wrote it; 0.1 noted no texts
  await purgeHeld(workspace, writer, 'texts' in note ? note : newNote(workspace, note.ids, { by: 'user' }))
}

/** What is under way. It holds the texts too, for once they are gone from the journal nobody could look for them any more. */
interface Note {
  readonly ids: readonly string[]
  readonly origin: Origin
  /** Every text that the entries have or had. */
  readonly texts: readonly PurgedText[]
  readonly scopes: readonly Scope[]
}

function newNote(workspace: Workspace, ids: readonly string[], origin: Origin): Note {
  const { entries, changes } = readHistory(workspace)
  const present = ids.flatMap((id) => workspace.files.view().get(id) ?? [])
  const versions = { entries: [...entries, ...present], changes }
  return { ids, origin, ...collectPurged(versions, new Set(ids), origin.agent) }
}

function notePath({ stateFolder }: Workspace): string {
  return join(stateFolder, PURGE_NOTE)
}

async function purgeHeld(workspace: Workspace, writer: Writer, note: Note): Promise<Purged> {
  const { ids: given, origin, texts, scopes } = note
  const { stateFolder, catalog } = workspace
  const ids = new Set(given)
  const temporary = join(stateFolder, 'tmp')
  const redactions = redactionsFor(texts)
  await replaceFileDurably(notePath(workspace), Buffer.from(JSON.stringify(note)), temporary)
  const there = given.filter((id) => catalog.head(id) !== undefined)
  await removeEntries(workspace, writer, there, { origin, purged: scopes })
  const cleaned = redactedSessionsText(await redactSessions(workspace, redactions))
  await writer.startOver()
  // After the feed has started over: see derived.ts.
  removeDerived(stateFolder)
  // One that was being made there: its maker has ended, or finds that it is gone and does without.
  for (const name of namesIn(temporary)) removeFile(join(temporary, name))
  const purging = newPurge(workspace, ids)
  await purgeJournal(workspace, purging)
  cleaned.unshift(`${there.length === 0 ? 'the' : 'its files, the'} journal and everything derived from it`)
  removeFile(notePath(workspace))
  const outOfReach = [...backupNotices(knownBackups(stateFolder), workspace.root), ...shortTextNotice(redactions)]
  for (const folder of fixCopies(workspace.root)) {
    outOfReach.push(`${folder}, a copy that "keepsake doctor --fix" made: delete it`)
  }
  for (const path of moveLeftovers(workspace.root)) {
    outOfReach.push(`${path}, which a move or an export left when it was stopped: remove it, unless one is running`)
  }
  outOfReach.push(...elsewhereNotices(gitFolder(workspace.root)))
  return { cleaned, occurrences: occurrencesIn(workspace, redactions), outOfReach }
}

function occurrencesIn(workspace: Workspace, redactions: Redactions): Occurrence[] {
  const { catalog, layout } = workspace
  const entries = entryOccurrences(readHistory(workspace), redactions)
  const files = entries.flatMap((place) => {
    const head = place.in === 'entry' && !place.earlier ? catalog.head(place.id) : undefined
    return head ? [head.path ?? '', mirrorPath(layout, head) ?? ''] : []
  })
  return [...entries, ...fileOccurrences(workspace, redactions, new Set(files))]
}

/** In one change, so that nobody finds one without what belongs to it. A file that can't be read can't be rewritten either: it goes as it is. */
async function removeEntries(
  workspace: Workspace,
  writer: Writer,
  ids: readonly string[],
  purge: Pick<Change, 'origin' | 'purged'>,
): Promise<void> {
  const operations: Operation[] = []
  for (const id of ids) {
    const { kind, path } = workspace.catalog.head(id) ?? {}
    if (kind !== undefined && path !== undefined && KINDS[kind].shape !== 'log' && !workspace.files.view().get(id)) {
      workspace.refuseLinks(path)
      removeFile(workspace.absolute(path))
      await writer.absorbHeld((edit) => edit.before?.id === id)
    } else operations.push({ op: 'remove', id })
  }
  await writer.applyHeld({ operations, ...purge })
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

/** The caller must hold the lock. Returns how many transcripts were changed. */
async function redactSessions(workspace: Workspace, redactions: Redactions): Promise<number> {
  const { root, layout, stateFolder } = workspace
  let changed = 0
  for (const path of filesBelow(root)) {
    const agent = sessionAgent(layout, path)
    if (agent === undefined) continue
    const bytes = readFileAt(join(root, path))?.bytes
    const redacted = bytes && redactTranscript(bytes, agent, redactions)
    if (!redacted || redacted === bytes) continue
    await replaceFileDurably(join(root, path), redacted, join(stateFolder, 'tmp'))
    if (!path.startsWith(ASIDE)) changed++
  }
  return changed
}

/** `entryFiles`: files of entries that are already listed. */
function fileOccurrences(
  { root, layout }: Workspace,
  redactions: Redactions,
  entryFiles: ReadonlySet<string>,
): Occurrence[] {
  return filesBelow(root).flatMap((path): Occurrence[] => {
    const bytes = entryFiles.has(path) ? undefined : readFileAt(join(root, path))?.bytes
    if (!bytes || !pathMentions(layout, path, bytes, redactions)) return []
    const scope = path.startsWith(ASIDE) ? undefined : sessionAgent(layout, path)
    if (scope === undefined) return [{ in: 'file', path }]
    const key = lookInto(join(root, path), readMetadata)?.meta['key']
    return [{ in: 'session', scope, key: keyOfFile(basename(path), key) ?? basename(path) }]
  })
}

function pathMentions(layout: Layout, path: string, bytes: Uint8Array, redactions: Redactions): boolean {
  const mentions = sessionAgent(layout, path) === undefined ? fileMentions : transcriptMentions
  return mentions(bytes, redactions)
}

/** The agent whose transcript, or cut-off end of one, is at a path; `undefined` for any other file. */
function sessionAgent({ layout, flatAgent }: Layout, path: string): Scope | undefined {
  const inside = path.startsWith(`${ASIDE}/`) ? path.split('/').slice(3).join('/') : path
  const found = /^(?:agents\/([^/]+)\/)?sessions\/[^/]+\.jsonl$/.exec(inside)
  if (!found) return undefined
  const [, folder] = found
  if (layout === 'flat') return folder === undefined ? flatAgent : undefined
  return folder === undefined ? undefined : agentIdOf(folder)
}

/** Paths of plain files, other than git's own and our state. */
function filesBelow(root: string, folder = ''): string[] {
  return listFolder(join(root, folder)).flatMap((item) => {
    const path = folder === '' ? item.name : `${folder}/${item.name}`
    if (item.isFile()) return [path]
    if (!item.isDirectory() || item.name === '.git') return []
    return filesBelow(root, path === STATE_FOLDER ? ASIDE : path)
  })
}
