/**
 * The files of a whole memory, worked out in RAM: those that are kept stay as they are while all that they tell of is as it was, serve
 * as the text to rewrite where something has changed, and all other entries are written as into an empty folder. Both sides of a
 * move ask here, so a file whose entries alone tell its bytes need not be kept.
 */
import type { FileWrite } from '../../../codec/journal-record.ts'
import type { Entry } from '../../../model/entry.ts'
import { KINDS } from '../../../model/kinds.ts'
import type { Step } from '../../../model/operation.ts'
import type { KeptFile } from '../../../ports/store.ts'
import { decodeText } from '../../disk/reading.ts'
import { readText, type Said } from '../file-text.ts'
import { addOf } from '../hand-edit.ts'
import { type Layout, mirrorPath, type Place } from '../layout.ts'
import { type ProjectionContext, project } from '../projection.ts'
import { Placing, placesIn } from './places.ts'

export interface Shaping extends Pick<ProjectionContext, 'layout' | 'zone' | 'yaml'> {
  readonly kept: readonly KeptFile[]
}

export interface ShapedFiles {
  /** Of every file that is not just as it was kept. */
  readonly texts: ReadonlyMap<string, string>
  /** Where each entry lies, by id. */
  readonly paths: ReadonlyMap<string, string>
  /** What was kept and is not to be written as it is. */
  readonly rewritten: ReadonlySet<string>
  readonly warnings: readonly string[]
}

/** A kept file that entries lie in. */
interface Home {
  readonly file: KeptFile
  readonly place: Place
  /** What it says of entries that are others by now, or gone. */
  readonly stale: ReadonlyMap<string, Entry>
}

/** `entries`: in the order of `seq`. */
export function shapeFiles(entries: readonly Entry[], shaping: Shaping): ShapedFiles {
  const { layout, zone, yaml, kept } = shaping
  const now = new Map(entries.map((entry) => [entry.id, entry]))
  const { homes, unusable } = homesOf(now, shaping)
  const texts = new Map<string, string>()
  for (const { path, bytes } of kept) {
    const text = unusable.has(path) ? undefined : decodeText(bytes)
    if (text !== undefined) texts.set(path, text)
  }
  const taken = kept.map(({ path }) => path).filter((path) => !unusable.has(path))
  const { steps, paths } = placed(entries, homes, new Placing(layout, zone, taken))
  const listed = new Map(kept.map((file) => [file.path, idsIn(file)]))
  const context: ProjectionContext = {
    layout,
    zone,
    yaml,
    files: {
      text: (path) => texts.get(path),
      end: (path) => endOf(texts.get(path) ?? ''),
    },
    read: (place, text) => readKept(place, text, listed.get(place.path), shaping),
  }
  const mirrors = new Set(entries.flatMap((entry) => mirrorPath(layout, entry) ?? []))
  const plain = new Set([...mirrors].filter((path) => !texts.has(path)))
  const told = entries.filter((entry) => plain.has(mirrorPath(layout, entry) ?? ''))
  const writes = [
    ...project(steps, context).filter(({ path }) => !plain.has(path)),
    // All of the history stands in its mirror, whatever becomes of the months: without a path of its own, an entry goes only there.
    ...project(told.map(mirrored), context),
  ]
  for (const write of writes) put(texts, write)
  const rewritten = new Set([...writes.map(({ path }) => path), ...unusable])
  for (const { path } of kept) if (!rewritten.has(path)) texts.delete(path)
  // What is no text, and lies where an entry must be.
  const lost = kept.filter(({ path, bytes }) => rewritten.has(path) && decodeText(bytes) === undefined)
  return {
    texts,
    paths,
    rewritten,
    warnings: [...new Set([...unusable, ...lost.map(({ path }) => path)])].map(
      (path) => `${path} can't be built on any more and was written anew from its entries`,
    ),
  }
}

function put(texts: Map<string, string>, write: FileWrite): void {
  if ('append' in write) texts.set(write.path, (texts.get(write.path) ?? '') + write.append)
  else if (write.after === null) texts.delete(write.path)
  else texts.set(write.path, write.text)
}

function endOf(text: string): { readonly size: number; readonly lastTwo: string } {
  return { size: Buffer.byteLength(text), lastTwo: text.slice(-2) }
}

function mirrored({ path: _, ...entry }: Entry): Step {
  return { operation: addOf(entry), after: entry }
}

function idsIn({ entries }: KeptFile): ReadonlySet<string> {
  return new Set(entries.map(({ id }) => id))
}

/** Only the ids that lie in this very file are its own: a copy made by hand names another one's. */
function readKept(
  place: Place,
  text: string,
  ids: ReadonlySet<string> | undefined,
  { zone, yaml }: Pick<Shaping, 'zone' | 'yaml'>,
): Said {
  return readText(place, text, {
    zone,
    yaml,
    mtimeMs: 0,
    known: () => undefined,
    mayHold: (id) => ids?.has(id) ?? true,
  })
}

/** By id. The mirror of the history is the home of what no month has. */
function homesOf(
  now: ReadonlyMap<string, Entry>,
  shaping: Shaping,
): { readonly homes: ReadonlyMap<string, Home>; readonly unusable: ReadonlySet<string> } {
  const homes = new Map<string, Home>()
  const unusable = new Set<string>()
  const placeAt = placesIn(shaping.layout, scopesOf(now.values(), shaping.layout, shaping.kept))
  for (const file of shaping.kept) {
    if (file.entries.length === 0) continue
    const place = placeAt(file.path)
    const stale = place && staleIn(file, place, now, shaping)
    if (!place || !stale) {
      unusable.add(file.path)
      continue
    }
    for (const { id } of file.entries) if (!place.mirror || !homes.has(id)) homes.set(id, { file, place, stale })
  }
  return { homes, unusable }
}

/** Of all entries that lie somewhere, or lay: a kept file may be of an agent that has none any more. */
export function scopesOf(
  entries: Iterable<Pick<Entry, 'scope'>>,
  { layout, flatAgent, agentFolders }: Layout,
  kept: readonly KeptFile[] = [],
): Set<string> {
  const scopes = new Set<string>(layout === 'flat' ? [flatAgent] : agentFolders.keys())
  for (const { scope } of entries) scopes.add(scope)
  for (const { path } of layout === 'flat' ? [] : kept) {
    const folder = /^agents\/([^/]+)\//.exec(path)?.[1]
    if (folder !== undefined) scopes.add(folder.toLowerCase())
  }
  return scopes
}

/** `undefined` when the file does not say any more what it was kept for. */
function staleIn(
  file: KeptFile,
  place: Place,
  now: ReadonlyMap<string, Entry>,
  shaping: Shaping,
): ReadonlyMap<string, Entry> | undefined {
  const changed = file.entries.filter(({ id, revision }) => now.get(id)?.revision !== revision)
  if (changed.length === 0) return new Map()
  const text = decodeText(file.bytes)
  const said = text === undefined ? [] : readKept(place, text, idsIn(file), shaping).entries
  const found = new Map(said.map((entry) => [entry.id, entry]))
  if (!file.entries.every(({ id }) => found.has(id))) return undefined
  return new Map(changed.flatMap(({ id }) => [[id, found.get(id) as Entry]])) // every one was found
}

/** What must happen to the kept files so that they say what is so now, and where each entry lies then. */
function placed(
  entries: readonly Entry[],
  homes: ReadonlyMap<string, Home>,
  placing: Placing,
): { readonly steps: readonly Step[]; readonly paths: ReadonlyMap<string, string> } {
  const paths = new Map<string, string>()
  const changed: Step[] = []
  const added: Step[] = []
  const there = new Set<string>()
  for (const entry of entries) {
    there.add(entry.id)
    const home = homes.get(entry.id)
    const before = home?.stale.get(entry.id)
    const isNew = !home || (before !== undefined && (before.scope !== entry.scope || before.kind !== entry.kind))
    if (home && before && isNew) changed.push(removal(before))
    const path = isNew
      ? placing.choose(entry)
      : stays(entry, before)
        ? home.file.path
        : placing.choose(entry, before?.path)
    paths.set(entry.id, path)
    placing.take(path)
    const after = { ...entry, path }
    if (isNew) added.push({ operation: addOf(entry), after })
    else if (before) changed.push({ operation: { op: 'write', id: entry.id }, before, after })
  }
  for (const [id, { stale }] of homes) {
    const before = stale.get(id)
    if (before && !there.has(id)) changed.push(removal(before))
  }
  return { steps: [...changed, ...added], paths }
}

function removal(before: Entry): Step {
  return { operation: { op: 'remove', id: before.id }, before }
}

function stays(entry: Entry, before: Entry | undefined): boolean {
  return before === undefined || before.name === entry.name || KINDS[entry.kind].shape === 'log'
}
