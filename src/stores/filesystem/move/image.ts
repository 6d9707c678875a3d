/**
 * Everything that a folder is, as of one moment, for another store. Writes nothing of its own; others wait only where they write all
 * the time. What nobody can read is refused, and what is not
 * part of a memory is named: nothing is left behind without a word.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DamagedError, isKeepsakeError, KeepsakeError, StorageError } from '../../../errors.ts'
import { type Entry, WORLD } from '../../../model/entry.ts'
import { instant } from '../../../model/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CallOptions, KeptFile, MemoryImage, Problem, SessionText } from '../../../ports/store.ts'
import { isDocumentName } from '../../disk/documents.ts'
import { readBytes, readOpened, TICK_MS } from '../../disk/reading.ts'
import { readMetadata } from '../../disk/session-file.ts'
import { keyOfFile } from '../../disk/session-metadata.ts'
import { bulkRemovalProblem, withoutBulkRemovals } from '../bulk-removal.ts'
import { isOutside, type Place, placeOf } from '../layout.ts'
import { survey, viewWithEdits } from '../survey.ts'
import { lookInto } from '../transcript-file.ts'
import type { Workspace } from '../workspace.ts'
import { formatSettings, SETTINGS_FILE } from '../workspace-settings.ts'
import { type FolderTree, isSameTree, treeOf } from './folder-tree.ts'
import { imagedHistory, withoutOutside } from './image-history.ts'
import { keptFiles, missingMirrors } from './kept-files.ts'
import { placesIn, sessionFolder } from './places.ts'
import { scopesOf } from './shape-files.ts'

const TRIES = 5
const MOST_NAMED = 20

/** Runs something while nobody of ours writes. */
type Exclusively = <T>(run: () => Promise<T>, signal?: AbortSignal) => Promise<T>

export async function imageOf(
  workspace: Workspace,
  clock: Clock,
  exclusively: Exclusively,
  { signal }: CallOptions = {},
): Promise<MemoryImage> {
  for (let tries = 0; tries < TRIES; tries++) {
    signal?.throwIfAborted()
    // Whoever is writing at this moment may be through in the next.
    if (tries > 0) await sleep(TICK_MS)
    const image = imageOfMoment(workspace, clock)
    if (image) return image
  }
  const image = await imageHeld(workspace, clock, exclusively, signal)
  if (image) return image
  throw new StorageError('reading', workspace.root, 'somebody is writing to it all the time', 'Try again later.')
}

/** `undefined` when somebody wrote meanwhile. */
function imageOfMoment(workspace: Workspace, clock: Clock): MemoryImage | undefined {
  const before = treeOf(workspace.root)
  const image = imageNow(workspace, before, timeOf(before, clock()))
  return isSameTree(before, treeOf(workspace.root)) ? image : undefined
}

/** While the others wait; `undefined` where we can't have the lock, such as of a folder that is not ours to write to. */
async function imageHeld(
  workspace: Workspace,
  clock: Clock,
  exclusively: Exclusively,
  signal: AbortSignal | undefined,
): Promise<MemoryImage | undefined> {
  let isHeld = false
  try {
    return await exclusively(async () => {
      isHeld = true
      return imageOfMoment(workspace, clock)
    }, signal)
  } catch (error) {
    if (isHeld || !isKeepsakeError(error)) throw error
    return undefined
  }
}

/**
 * When hands did what nobody has journaled yet: it shows in the files, so that two images of the same folder say the same. A time
 * that is still to come is none.
 */
function timeOf({ files }: FolderTree, nowMs: number): string {
  let newest = 0
  for (const { mtimeMs } of files.values()) {
    const ms = Math.floor(mtimeMs)
    if (ms <= nowMs) newest = Math.max(newest, ms)
  }
  return instant(newest === 0 ? nowMs : newest)
}

function imageNow(workspace: Workspace, tree: FolderTree, at: string): MemoryImage {
  workspace.catchUp()
  const { edits, problems } = survey(workspace)
  const { heldBack } = withoutBulkRemovals(workspace, edits)
  if (heldBack.length > 0) {
    throw new KeepsakeError('CONFLICT', `${workspace.root}: ${bulkRemovalProblem(heldBack, workspace.catalog)}`, {
      hint: 'Bring the files back, or accept that they are gone, and try again.',
    })
  }
  const entries = entriesNow(workspace, edits, problems)
  const found = sortedOut(workspace, tree, entries)
  const files = keptFiles(workspace, entries, found)
  const { history, cursor } = imagedHistory(workspace, entries, at)
  const highest = entries.reduce((most, { seq }) => Math.max(most, seq), 0)
  return {
    settings: workspace.settings,
    cursor,
    nextSeq: Math.max(workspace.catalog.nextSeq, highest + 1),
    history,
    entries: () => each(entries, withoutOutside),
    sessions: () => each(found.transcripts, (one) => readTranscript(workspace, one)),
    files: () => each(files, (file) => file),
    close: async () => undefined,
    warnings: [
      ...problems.map(({ path, problem }) => `${path}: ${problem}`),
      ...missingMirrors(workspace.layout, entries, found.places).map(
        (path) => `${path} is gone, although there is a history; it will be written anew where this is moved to`,
      ),
      ...notTaken([...tree.others, ...found.strangers]),
    ],
  }
}

function entriesNow(
  workspace: Workspace,
  edits: ReturnType<typeof survey>['edits'],
  problems: readonly Problem[],
): Entry[] {
  const { view, heads } = viewWithEdits(workspace, edits)
  const ordered = [...heads].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1))
  return ordered.map((head) => {
    const entry = view.get(head.id)
    if (entry) return entry
    const path = head.path ?? head.id
    const problem = problems.find((one) => one.path === path)?.problem ?? 'it can not be read'
    throw new DamagedError(path, problem, 'Mend it by hand, or restore it from a backup. Nothing was changed.')
  })
}

interface Transcript {
  readonly scope: string
  readonly key: string
  readonly path: string
  /** What is appended from now on is not part of the image. */
  readonly size: number
}

interface SortedOut {
  readonly places: ReadonlyMap<string, Place>
  readonly others: readonly KeptFile[]
  readonly transcripts: readonly Transcript[]
  readonly strangers: readonly string[]
}

/** What each file is. */
function sortedOut(workspace: Workspace, tree: FolderTree, entries: readonly Entry[]): SortedOut {
  const { layout, settings, root } = workspace
  const scopes = scopesOf(entries, layout)
  const placeAt = placesIn(layout, scopes)
  // In a flat workspace the world would share its agent's folder; it has no transcripts.
  const owners = [...scopes].filter((scope) => scope !== WORLD)
  const agents = new Map(owners.map((scope) => [sessionFolder(layout, scope), scope]))
  const places = new Map<string, Place>()
  const [others, transcripts, strangers]: [KeptFile[], Transcript[], string[]] = [[], [], []]
  const keep = (path: string): void => {
    const { bytes } = workspace.files.bytesOf(path)
    if (bytes && (path !== SETTINGS_FILE || formatSettings(settings) !== Buffer.from(bytes).toString())) {
      others.push({ path, bytes, entries: [] })
    }
  }
  // A file that a crash kept from being written is known by its entries alone.
  for (const { scope, kind, path } of entries) {
    if (path !== undefined && !isOutside(path)) places.set(path, placeOf(layout, { scope, kind }, path))
  }
  for (const [path, { size }] of tree.files) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const scope = name.endsWith('.jsonl') ? agents.get(path.slice(0, path.length - name.length)) : undefined
    const place = placeAt(path)
    if (place) places.set(path, place)
    else if (scope !== undefined) {
      const said = lookInto(join(root, path), readMetadata)
      const key = said && keyOfFile(name, said.meta['key'])
      if (key === undefined) keep(path)
      else transcripts.push({ scope, key, path, size })
    } else if (path === SETTINGS_FILE || isDocumentName(path)) keep(path)
    else strangers.push(path)
  }
  transcripts.sort((a, b) => compare(a.scope, b.scope) || compare(a.key, b.key))
  return { places, others, transcripts, strangers }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function readTranscript({ root }: Workspace, { scope, key, path, size }: Transcript): SessionText {
  const text = readOpened(join(root, path), (fd) => readBytes(fd, 0, size))
  if (text?.length !== size) {
    throw new StorageError('reading', join(root, path), 'it became shorter meanwhile', 'Try again.')
  }
  return { scope, key, text }
}

function notTaken(paths: readonly string[]): string[] {
  if (paths.length === 0) return []
  const more = paths.length > MOST_NAMED ? `, and ${paths.length - MOST_NAMED} more` : ''
  return [`not part of the memory, and not taken along: ${paths.slice(0, MOST_NAMED).join(', ')}${more}`]
}

async function* each<T, U>(items: readonly T[], make: (item: T) => U): AsyncGenerator<U> {
  for (const item of items) yield make(item)
}
