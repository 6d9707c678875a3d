/**
 * Adopts another store's memory as a workspace. It is built in a folder beside its place, synced, checked, and then renamed, so a reader
 * finds everything or nothing. What an interrupted call left there is removed, not reused. If the place is not empty, nothing is
 * changed.
 */
import { realpathSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ParseYaml } from '../../../codec/file-entry.ts'
import { isHead } from '../../../codec/head-shape.ts'
import { DamagedError, isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import { type Entry, WORLD } from '../../../model/entry.ts'
import { isId } from '../../../model/id.ts'
import type { Adopted, AdoptOptions, KeptFile, MemoryImage, Settings } from '../../../ports/store.ts'
import { checkedSettings } from '../../disk/checked-settings.ts'
import { namesIn } from '../../disk/list-folder.ts'
import { acquireLock } from '../../disk/lock.ts'
import { decodeText, readFileAt, statFile, TICK_MS } from '../../disk/reading.ts'
import { safeFileName } from '../../disk/safe-file-name.ts'
import { codeOf, FILE_MODE, makeFolder, syncFile, syncFolder, wrapped, writeNewFile } from '../../disk/system.ts'
import { Journal } from '../journal.ts'
import { isOutside, type Layout, mirrorPath } from '../layout.ts'
import { formatSettings, readSettings, SETTINGS_FILE } from '../workspace-settings.ts'
import { adoptedCatalog } from './adopted-catalog.ts'
import { type FinalFile, lastTouches, writeJournal } from './adopted-journal.ts'
import { movingPath } from './leftovers.ts'
import { isInside, MovingFolder } from './moving-folder.ts'
import { agentIdOf, layoutFor, sessionFolder } from './places.ts'
import { type ShapedFiles, shapeFiles } from './shape-files.ts'

const SOURCE = 'the memory to be moved'
const UNWRITTEN = 'Nothing was written.'
const MOST_SHOWN = 200

export interface AdoptPlace {
  readonly root: string
  readonly agent: string
  readonly identityFile: string | undefined
  readonly yaml: ParseYaml
  readonly nowMs: number
  readonly lockWaitMs: number
  /** Opens the workspace at `root` and calls `check` with its image. */
  readonly check: (root: string, check: NonNullable<AdoptOptions['check']>) => Promise<void>
}

export async function adoptImage(place: AdoptPlace, image: MemoryImage, options: AdoptOptions = {}): Promise<Adopted> {
  const root = realPath(place.root)
  refuseTaken(root)
  const parts = await partsOf(place, image, options.signal)
  makeFolder(dirname(root))
  const beside = movingPath(root)
  const lockFolder = `${beside}.lock`
  const lock = await acquireLock(lockFolder, place.lockWaitMs, options.signal).catch((error: unknown) => {
    removeEmptyFolder(lockFolder)
    throw error
  })
  try {
    refuseTaken(root)
    try {
      const folder = new MovingFolder(beside)
      const warnings = await build(folder, parts, place, options)
      if (options.check) await place.check(beside, options.check)
      await takePlace(folder, root)
      return { warnings }
    } catch (error) {
      for (const path of [beside, ...parts.writtenOutside]) tryToRemove(path)
      throw error
    }
  } finally {
    lock.releaseAndRemove()
  }
}

/** A failed attempt to acquire the lock, as on a full disk, may leave its folder. */
function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // another process holds the lock
  }
}

interface Parts {
  readonly image: MemoryImage
  readonly entries: readonly Entry[]
  readonly kept: readonly KeptFile[]
  readonly layout: Layout
  readonly shaped: ShapedFiles
  /** Files outside the workspace that this call created: an identity. */
  readonly writtenOutside: string[]
}

function tryToRemove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // the error that led here matters more, and the next move tries again
  }
}

async function partsOf(place: AdoptPlace, image: MemoryImage, signal: AbortSignal | undefined): Promise<Parts> {
  // Whoever hands it over may have read it from a file of anybody.
  refuseSettings(image.settings)
  const entries = await allOf(image.entries(), signal)
  const kept = await allOf(image.files(), signal)
  for (const entry of [...entries, ...image.history.entries]) refuseEntry(entry, image.settings, place.agent)
  for (const { path } of kept) refusePath(path)
  const paths = kept.map(({ path }) => path)
  const layout = layoutFor(image.settings, paths, place)
  const ofEntries = kept.filter(({ path }) => path !== SETTINGS_FILE)
  const shaping = { layout, zone: image.settings.timezone, yaml: place.yaml, kept: ofEntries }
  return { image, entries, kept, layout, shaped: shapeFiles(entries, shaping), writtenOutside: [] }
}

/** All that is in the folder, on the disk when it returns. Warnings. */
async function build(folder: MovingFolder, parts: Parts, place: AdoptPlace, options: AdoptOptions): Promise<string[]> {
  const { image, entries, layout, shaped, kept } = parts
  const { signal, onProgress } = options
  const warnings = [...shaped.warnings]
  const touches = await lastTouches(image.history, entries)
  const total = shaped.texts.size + kept.length + touches.count
  let done = 0
  const step = (): void => {
    signal?.throwIfAborted()
    onProgress?.(++done, total)
  }
  putSettings(folder, parts, place.yaml, warnings)
  for (const [path, text] of shaped.texts) {
    if (isOutside(path)) refuseOtherIdentity(path, text)
    else folder.put(path, Buffer.from(text))
    step()
  }
  for await (const { scope, key, text } of image.sessions()) {
    signal?.throwIfAborted()
    refuseScope(scope, image.settings, place.agent)
    folder.put(`${sessionFolder(layout, scope)}${safeFileName(key, 'session')}.jsonl`, text)
  }
  for (const { path, bytes } of kept) {
    step()
    if (path === SETTINGS_FILE || shaped.rewritten.has(path)) continue
    if (folder.has(path)) warnings.push(`${path}: a session of that name is there by now, and counts`)
    else folder.put(path, bytes)
  }
  const files = finalFiles(parts)
  const journal = new Journal(join(folder.stateFolder, 'journal'))
  const { nowMs } = place
  const { paths } = shaped
  const written = await writeJournal(journal, touches, { image, layout, paths, files, nowMs, onRecord: step })
  await folder.sync()
  for (const { path, text } of files) if (isOutside(path)) await writeOutside(path, text, parts.writtenOutside)
  // Only files that have come to rest are known by their signatures, and need not be read by whoever opens this.
  await sleep(TICK_MS + 1)
  await adoptedCatalog(folder, { image, entries, paths, files, ...written })
  return warnings
}

/** Every file that entries lie in, as it is at the end. */
function finalFiles({ entries, kept, layout, shaped }: Parts): FinalFile[] {
  const ids = new Map<string, string[]>()
  const note = (path: string | undefined, id: string): void => {
    if (path === undefined) return
    const there = ids.get(path)
    if (there) there.push(id)
    else ids.set(path, [id])
  }
  for (const entry of entries) {
    const path = shaped.paths.get(entry.id)
    const mirror = mirrorPath(layout, entry)
    note(path, entry.id)
    if (mirror !== path) note(mirror, entry.id)
  }
  const bytes = new Map(kept.map((file) => [file.path, file.bytes]))
  return [...ids].flatMap(([path, inIt]) => {
    const text = shaped.texts.get(path) ?? decodeText(bytes.get(path) ?? new Uint8Array())
    return text === undefined ? [] : [{ path, text, ids: inIt }]
  })
}

/** As a person left them, while they say what the image says. */
function putSettings(folder: MovingFolder, { image, kept }: Parts, yaml: ParseYaml, warnings: string[]): void {
  const file = kept.find(({ path }) => path === SETTINGS_FILE)
  if (file) {
    folder.put(SETTINGS_FILE, file.bytes)
    if (saysTheSame(folder.root, image.settings, yaml)) return
    warnings.push(`${SETTINGS_FILE} says other settings than the memory has by now, and was written anew`)
  }
  folder.put(SETTINGS_FILE, Buffer.from(formatSettings(image.settings)))
}

function saysTheSame(root: string, settings: Settings, yaml: ParseYaml): boolean {
  try {
    return isDeepStrictEqual(readSettings(root, yaml), settings)
  } catch (error) {
    if (isKeepsakeError(error)) return false
    throw error
  }
}

/** In one step, and only if nothing is there. */
async function takePlace(folder: MovingFolder, root: string): Promise<void> {
  try {
    renameSync(folder.root, root)
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw takenError(root)
    throw wrapped('moving to', root, error)
  }
  await syncFolder(dirname(root))
}

function refuseTaken(root: string): void {
  const found = statFile(root)
  if (found && (!found.isDirectory() || namesIn(root).length > 0)) throw takenError(root)
}

function takenError(root: string): KeepsakeError {
  return new KeepsakeError('CONFLICT', `${root} is not empty`, {
    hint: 'Nothing was changed. Name a folder that is not there yet, or an empty one.',
    data: { path: root },
  })
}

function refuseSettings(settings: Settings): void {
  checkedSettings(SOURCE, settings, (problem) => new DamagedError(SOURCE, `in its settings ${problem}`, UNWRITTEN))
}

/** Kind, time and name of an entry become its path. */
function refuseEntry(entry: Entry, settings: Settings, own: string): void {
  if (!isHead(entry) || !isId(entry.id) || typeof entry.content !== 'string') {
    throw new DamagedError(SOURCE, `an entry of it is none: ${JSON.stringify(entry)?.slice(0, MOST_SHOWN)}`, UNWRITTEN)
  }
  refuseScope(entry.scope, settings, own)
}

/** A scope becomes a folder: only ids that may be one. */
function refuseScope(scope: string, { layout, agent }: Settings, own: string): void {
  const isKnown = scope === WORLD || (layout === 'flat' ? scope === (agent ?? own) : agentIdOf(scope) === scope)
  if (isKnown) return
  const problem = `it has entries or sessions of "${scope}", which has no place in a folder of layout ${layout}`
  throw new DamagedError(SOURCE, problem, UNWRITTEN)
}

/** What is kept lies in the workspace, in plain sight, and is none of our own files. */
function refusePath(path: string): void {
  const isInSight = (part: string): boolean => !part.startsWith('.') && part.isWellFormed()
  if (typeof path === 'string' && isInside(path) && path.split('/').every(isInSight)) return
  throw new DamagedError(SOURCE, `it keeps a file at ${JSON.stringify(path)}`, UNWRITTEN)
}

/** The identity outside the workspace may be another program's too: it is made where there is none, and never replaced. */
function refuseOtherIdentity(path: string, text: string): void {
  const file = readFileAt(path)
  if (!file || decodeText(file.bytes)?.trimEnd() === text.trimEnd()) return
  throw new KeepsakeError('CONFLICT', `the identity in ${path} is another than that of the memory to be moved`, {
    hint: 'Nothing was changed. Make them the same first, or move that file away.',
    data: { path },
  })
}

async function writeOutside(path: string, text: string, written: string[]): Promise<void> {
  if (statFile(path)) return
  makeFolder(dirname(path))
  written.push(path)
  writeNewFile(path, Buffer.from(text), FILE_MODE)
  await syncFile(path)
}

/** A link to an empty folder stays a link. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return path
    throw wrapped('reading', path, error)
  }
}

async function allOf<T>(items: AsyncIterable<T>, signal: AbortSignal | undefined): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) {
    signal?.throwIfAborted()
    all.push(item)
  }
  return all
}
