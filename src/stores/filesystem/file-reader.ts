/**
 * Reading files through what the catalogue knows of them: whether one is as it should be, what it says, and how that differs
 * from what the journal tells. Reading only; what is learned on the way is how a file looks that was read.
 */

import type { Signature } from '../../codec/journal-record.ts'
import { isKeepsakeError } from '../../errors.ts'
import type { StateView } from '../../model/draft.ts'
import type { Scope } from '../../model/entry.ts'
import { KINDS } from '../../model/kinds.ts'
import type { Problem } from '../../ports/store.ts'
import { listFolder } from '../disk/list-folder.ts'
import { decodeText, type FileBytes, hashBytes, readFileAt, sameSignature, statFile } from '../disk/reading.ts'
import { pause } from '../disk/system.ts'
import { readText, type Said } from './file-text.ts'
import { type HandEdit, handEdit } from './hand-edit.ts'
import type { KnownFile } from './known-file.ts'
import { type Place, placeInScope, placeOf, scopeFolder } from './layout.ts'
import type { LogEntries } from './log-entries.ts'
import { LogReader } from './log-reader.ts'
import { settle } from './unproved.ts'
import type { Workspace } from './workspace.ts'

const RECENT_LOGS = 64
const MOST_LOOKS = 20
const BETWEEN_LOOKS_MS = 5
/** Between emptying a file and writing it, an editor takes no longer. */
const SAVE_MS = MOST_LOOKS * BETWEEN_LOOKS_MS

/** A file as it should be taken: what it holds, or what it would hold had a crash not come between. */
export interface SeenFile {
  readonly place: Place
  readonly bytes: Uint8Array | null
  /** The bytes differ from those on disk: a write of ours is still to be done. */
  readonly unwritten: boolean
  /** As long as the file has it, it holds these bytes. */
  readonly signature: Signature | undefined
  readonly said: Said
}

export type FoundBytes = Pick<SeenFile, 'bytes' | 'unwritten' | 'signature'> & {
  readonly mtimeMs: number
  /** By their hash. */
  readonly isAsKnown: boolean
}

/** Ids that files name and no catalogue knows, with the file that named each first. */
export type Claims = Map<string, string>

export interface Survey {
  readonly edits: readonly HandEdit[]
  readonly problems: readonly Problem[]
}

export class FileReader {
  readonly #workspace: Workspace
  readonly #logs: LogReader

  constructor(workspace: Workspace) {
    this.#workspace = workspace
    this.#logs = new LogReader(workspace, this)
  }

  /** The state that the journal tells, with texts from the files as they are now. For one turn or one answer. */
  view(): StateView {
    // A log has many entries, and is read once for all of them; a page or a card is not asked for twice.
    const logs = new Map<string, LogEntries>()
    return {
      head: (id) => this.#workspace.catalog.head(id),
      owner: (scope, handle) => this.#workspace.catalog.owner(scope, handle),
      get: (id) => {
        const head = this.#workspace.catalog.head(id)
        if (head?.path === undefined) return undefined
        const place = placeOf(this.#workspace.layout, head, head.path)
        if (KINDS[head.kind].shape !== 'log') return this.see(place)?.said.entries.find((entry) => entry.id === id)
        const held = logs.get(head.path)
        const known = held?.isUsable ? held : this.#logs.read(place)
        if (logs.size >= RECENT_LOGS) logs.delete(logs.keys().next().value ?? '')
        logs.set(head.path, known)
        return known.get(id)
      },
    }
  }

  /** Whether a file is what it should be: by its signature, or, when that is in doubt, by its hash. */
  isAsKnown(path: string): boolean {
    const known = this.#workspace.catalog.files.get(path)
    if (!known || this.#workspace.catalog.unproved.has(path)) return false
    try {
      const stats = statFile(this.#workspace.absolute(path))
      if (!stats?.isFile()) return false
      if (known.signature && sameSignature(known.signature, stats)) return true
      if (known.hash === undefined || known.size !== stats.size) return false
      const file = readFileAt(this.#workspace.absolute(path))
      return file !== undefined && this.#learn(path, file)
    } catch {
      return false // who reads it next says why it can't be read
    }
  }

  /** What a file holds, or would hold had a crash not come between (then it is still to be written); `null` for no file. */
  bytesOf(path: string): FoundBytes {
    this.#workspace.refuseLinks(path)
    const file = this.#read(path)
    const found = file?.bytes ?? null
    const unproved = this.#workspace.catalog.unproved.get(path)
    const bytes = unproved ? settle(found, unproved) : found
    const isAsKnown = file !== undefined && bytes === found && this.#learn(path, file)
    const mtimeMs = file?.stats.mtimeMs ?? 0
    return { bytes, unwritten: bytes !== found, signature: file?.signature, mtimeMs, isAsKnown: isAsKnown && !unproved }
  }

  /** A file that is gone while a writer is replacing it is not gone: it is where the writer moved it, or back already. */
  #read(path: string): FileBytes | undefined {
    const absolute = this.#workspace.absolute(path)
    const known = this.#workspace.catalog.files.get(path)
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const found = readFileAt(absolute) ?? (known && this.#workspace.swap.inBetween(path, absolute))
      if (!known || (found && !isBeingSaved(found, known))) return found
      if (found) pause(BETWEEN_LOOKS_MS)
    }
    return readFileAt(absolute)
  }

  /** Reads a file and what it says; `undefined` when there is none. One that can't be read says why. */
  see(place: Place, claims?: Claims): SeenFile | undefined {
    try {
      const { bytes, unwritten, signature, mtimeMs, isAsKnown } = this.bytesOf(place.path)
      if (bytes === null) return undefined
      return { place, bytes, unwritten, signature, said: this.say(place, bytes, mtimeMs, { claims, isAsKnown }) }
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      const said: Said = { entries: [], problems: [error.message] }
      return { place, bytes: null, unwritten: false, signature: undefined, said }
    }
  }

  /** Whether these are the bytes it should have; if so, its signature will do next time. */
  #learn(path: string, file: FileBytes): boolean {
    const known = this.#workspace.catalog.files.get(path)
    if (known?.hash === undefined) return false
    if (known.signature && sameSignature(known.signature, file.stats)) return true
    if (known.hash !== hashBytes(file.bytes)) return false
    this.#workspace.catalog.sign(path, file.signature)
    return true
  }

  /** `isAsKnown`: these bytes have the hash that the journal has for this file. */
  say(
    place: Place,
    bytes: Uint8Array | null,
    mtimeMs: number,
    { claims, isAsKnown = false }: { readonly claims?: Claims | undefined; readonly isAsKnown?: boolean } = {},
  ): Said {
    if (bytes === null) return { entries: [], problems: [] }
    const text = decodeText(bytes)
    if (text === undefined) return { entries: [], problems: ['it is not UTF-8 text'] }
    return readText(place, text, {
      zone: this.#workspace.settings.timezone,
      yaml: this.#workspace.yaml,
      mtimeMs,
      isAsKnown,
      known: (id) => this.#workspace.catalog.head(id),
      mayHold: (id) => place.mirror || this.#mayHold(id, place.path, claims),
    })
  }

  /** A file that was copied by hand still names the id of the first: that one keeps it, the copy is a new entry. */
  #mayHold(id: string, path: string, claims: Claims | undefined): boolean {
    const home = this.#workspace.catalog.head(id)?.path
    if (home === undefined) {
      // Nobody has it yet: of several files that name it, the first that a survey meets is the original.
      const first = claims?.get(id) ?? path
      claims?.set(id, first)
      return first === path
    }
    if (home === path) return true
    const original = this.#read(home)
    return !original || !Buffer.from(original.bytes).includes(id)
  }

  /** What hands did to one file since we last knew it. */
  inspect(place: Place, claims?: Claims): Survey {
    if (this.isAsKnown(place.path)) return { edits: [], problems: [] }
    return this.compare(place, this.see(place, claims))
  }

  /** What makes the entries that we know of a file those that it says. */
  compare(place: Place, seen: SeenFile | undefined): Survey {
    if (seen?.said.problems.length && seen.said.entries.length === 0) {
      // Can't be understood: what we knew of it stays known, and the file stays as it is.
      return { edits: [], problems: problemsIn(seen) }
    }
    const elsewhere = place.mirror && seen ? this.#idsInMonths(place.scope) : undefined
    const entries = (seen?.said.entries ?? []).filter((entry) => !elsewhere?.has(entry.id))
    const found = new Set(entries.map((entry) => entry.id))
    const gone = [...this.#workspace.catalog.idsAt(place.path)].filter((id) => !found.has(id))
    const source = seen?.bytes ? hashBytes(seen.bytes) : null
    const edits = [
      ...entries.map((entry) => handEdit(this.#workspace.catalog.head(entry.id), entry)),
      ...gone.map((id) => handEdit(this.#workspace.catalog.head(id), undefined)),
    ].flatMap((edit) => (edit ? { ...edit, source } : []))
    if (edits.length === 0 && seen?.bytes && !seen.unwritten) this.#adopt(place.path, seen.bytes, seen.signature)
    return {
      edits,
      problems: seen ? problemsIn(seen) : [],
    }
  }

  /** A log that was appended to has no hash on record; once every entry in it was compared, it has. */
  #adopt(path: string, bytes: Uint8Array, signature: Signature | undefined): void {
    const known = this.#workspace.catalog.files.get(path)
    if (!known || known.hash !== undefined) return
    known.hash = hashBytes(bytes)
    known.size = bytes.length
    this.#workspace.catalog.sign(path, signature)
  }

  /** What stands in the monthly files: of the mirror, only the rest counts. */
  #idsInMonths(scope: Scope): ReadonlySet<string> {
    const folder = scopeFolder(this.#workspace.layout, scope)
    const names = listFolder(this.#workspace.absolute(folder)).map((item) => item.name)
    // A month that a crash kept from being written stands in the journal.
    const unwritten = [...this.#workspace.catalog.unproved.keys()].filter((path) => path.startsWith(folder))
    const all = new Set([...names, ...unwritten.map((path) => path.slice(folder.length))])
    const places = [...all].flatMap((name) => placeInScope(this.#workspace.layout, scope, name) ?? [])
    const months = places.filter((place) => place.kind === 'history' && !place.mirror)
    return new Set(months.flatMap((place) => this.see(place)?.said.entries.map((entry) => entry.id) ?? []))
  }
}

export function problemsIn({ place: { path }, said }: SeenFile): Problem[] {
  return said.problems.map((problem) =>
    said.undated?.includes(problem) ? { path, problem, undated: true } : { path, problem },
  )
}

/** Many editors empty a file and then write it: what they emptied just now is not yet what they mean. */
function isBeingSaved({ bytes, stats }: FileBytes, known: KnownFile): boolean {
  const age = Math.abs(Date.now() - stats.mtimeMs)
  return bytes.length === 0 && known.size !== 0 && age < SAVE_MS
}
