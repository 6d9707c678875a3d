/**
 * A workspace as one process sees it: the catalogue kept in step with the journal, and the files read through it. Reading
 * only: nothing here writes, takes the lock, or waits for anyone, so that a read-only folder can be recalled from.
 */
import { join } from 'node:path'
import type { ParseYaml } from '../../codec/file-entry.ts'
import { ForeignError, isKeepsakeError } from '../../errors.ts'
import type { StateView } from '../../model/draft.ts'
import type { Entry, EntryHead, Scope } from '../../model/entry.ts'
import { KINDS } from '../../model/kinds.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { Problem, Settings } from '../../ports/store.ts'
import type { Catalog } from './catalog.ts'
import { readText, type Said } from './file-text.ts'
import { Follower, type JournalState } from './follower.ts'
import { type HandEdit, handEdit } from './hand-edit.ts'
import { Journal } from './journal.ts'
import type { KnownFile } from './known-files.ts'
import { isOutside, type Layout, type Place, placeInScope, placeOf, STATE_FOLDER, scopeFolder } from './layout.ts'
import { listFolder } from './list-folder.ts'
import { Swap } from './swap.ts'
import {
  decodeText,
  type FileBytes,
  hashBytes,
  pause,
  readFileAt,
  sameSignature,
  settledSignature,
  statFile,
} from './system.ts'
import { settle } from './unproved.ts'
import { readSettings } from './workspace-settings.ts'

const RECENT_LOGS = 64
const MOST_LOOKS = 20
const BETWEEN_LOOKS_MS = 5
/** Between emptying a file and writing it, an editor takes no longer. */
const SAVE_MS = MOST_LOOKS * BETWEEN_LOOKS_MS

export interface WorkspaceFacts {
  readonly root: string
  readonly settings: Settings
  /** Whether the settings stand in keepsake.yaml already; until the first write they are only what we would pin. */
  readonly pinned: boolean
  readonly agent: string
  /** An identity file outside the workspace, from configuration. */
  readonly identityFile: string | undefined
  readonly yaml: ParseYaml
}

/** A file as it should be taken: what it holds, or what it would hold had a crash not come between. */
export interface SeenFile {
  readonly place: Place
  readonly bytes: Uint8Array | null
  /** The bytes differ from those on disk: a write of ours is still to be done. */
  readonly unwritten: boolean
  readonly said: Said
}

/** Ids that files name and no catalogue knows, with the file that named each first. */
export type Claims = Map<string, string>

export interface Survey {
  readonly edits: readonly HandEdit[]
  readonly problems: readonly Problem[]
}

export class Workspace {
  readonly root: string
  readonly journal: Journal
  #facts: WorkspaceFacts
  readonly swap: Swap
  readonly #follower: Follower
  readonly #links = new Map<string, string | null>()
  #layout: Layout | undefined

  constructor(facts: WorkspaceFacts) {
    this.#facts = facts
    this.root = facts.root
    this.journal = new Journal(join(facts.root, STATE_FOLDER, 'journal'))
    this.swap = new Swap(this.stateFolder)
    this.#follower = new Follower(this.journal, this.stateFolder)
  }

  get stateFolder(): string {
    return join(this.root, STATE_FOLDER)
  }

  get catalog(): Catalog {
    return this.#follower.catalog
  }

  get settings(): Settings {
    return this.#facts.settings
  }

  get yaml(): ParseYaml {
    return this.#facts.yaml
  }

  /** `undefined` until there is a journal. */
  get state(): JournalState | undefined {
    return this.#follower.state
  }

  get layout(): Layout {
    this.#layout ??= {
      layout: this.settings.layout,
      flatAgent: this.#facts.agent,
      identityFile: this.#facts.identityFile ?? this.settings.identityFile,
      agentFolders: new Map(this.#agentFolders()),
    }
    return this.#layout
  }

  absolute(path: string): string {
    return isOutside(path) ? path : join(this.root, path)
  }

  /** The first write pins the settings, and it may be another process's: what it pinned holds for us too. */
  adoptSettings(settings: Settings): void {
    if (settings.id !== this.settings.id) this.#follower.startOver()
    this.#facts = { ...this.#facts, settings, pinned: true }
    this.forgetLayout()
  }

  /** Nothing is read or written through a link: it could lead anywhere. */
  refuseLinks(path: string): void {
    const link = this.#linkIn(path.slice(0, path.lastIndexOf('/'))) ?? (this.#isLink(path) ? path : undefined)
    if (link !== undefined) throw new ForeignError(link, 'it is a link; nothing is read or written through links')
  }

  /** The first part of a folder's path that is a link. Asked once a folder and answer, since every file asks. */
  #linkIn(folder: string): string | undefined {
    if (folder === '' || isOutside(folder)) return undefined
    const known = this.#links.get(folder)
    if (known !== undefined) return known ?? undefined
    const link =
      this.#linkIn(folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) ?? (this.#isLink(folder) ? folder : null)
    this.#links.set(folder, link)
    return link ?? undefined
  }

  #isLink(path: string): boolean {
    return !isOutside(path) && statFile(this.absolute(path))?.isSymbolicLink() === true
  }

  /** Takes in what other processes have written since. */
  catchUp(): void {
    this.#links.clear()
    this.#adoptPinned()
    try {
      this.#follow()
    } catch (error) {
      // The first writer pinned its settings after we looked for them, and began the journal before we read it.
      if (!this.#adoptPinned()) throw error
      this.#follow()
    }
  }

  #follow(): void {
    if (this.#follower.catchUp(this.settings.id) === 'anew') this.forgetLayout()
  }

  /** Until settings are pinned, each look may find that they are by now. */
  #adoptPinned(): boolean {
    const settings = this.#facts.pinned ? undefined : readSettings(this.root, this.#facts.yaml)
    if (settings) this.adoptSettings(settings)
    return settings !== undefined
  }

  /** Reads the journal anew from its checkpoint. */
  startOver(): void {
    this.#follower.startOver()
    this.catchUp()
  }

  /** This process itself has started a segment. */
  setState(state: JournalState): void {
    this.#follower.state = state
  }

  forgetLayout(): void {
    this.#layout = undefined
  }

  /** The state that the journal tells, with texts from the files as they are now. For one turn or one answer. */
  view(): StateView {
    // A log has many entries, and is read once for all of them; a page or a card is not asked for twice.
    const logs = new Map<string, ReadonlyMap<string, Entry>>()
    const read = (head: EntryHead, path: string): ReadonlyMap<string, Entry> => {
      const seen = this.see(placeOf(this.layout, head, path))
      return new Map(seen?.said.entries.map((entry) => [entry.id, entry]))
    }
    return {
      head: (id) => this.catalog.head(id),
      owner: (scope, handle) => this.catalog.owner(scope, handle),
      get: (id) => {
        const head = this.catalog.head(id)
        if (head?.path === undefined) return undefined
        if (KINDS[head.kind].shape !== 'log') return read(head, head.path).get(id)
        const known = logs.get(head.path) ?? read(head, head.path)
        if (logs.size >= RECENT_LOGS) logs.delete(logs.keys().next().value ?? '')
        logs.set(head.path, known)
        return known.get(id)
      },
    }
  }

  /** Whether a file is what it should be: by its signature, or, when that is in doubt, by its hash. */
  isAsKnown(path: string): boolean {
    const known = this.catalog.files.get(path)
    if (!known || this.catalog.unproved.has(path)) return false
    try {
      const stats = statFile(this.absolute(path))
      if (!stats?.isFile()) return false
      if (known.signature && sameSignature(known.signature, stats)) return true
      if (known.hash === undefined || known.size !== stats.size) return false
      const file = readFileAt(this.absolute(path))
      return file !== undefined && this.#learn(path, file)
    } catch {
      return false // who reads it next says why it can't be read
    }
  }

  /** What a file holds, or would hold had a crash not come between (then it is still to be written); `null` for no file. */
  bytesOf(path: string): { readonly bytes: Uint8Array | null; readonly unwritten: boolean; readonly mtimeMs: number } {
    this.refuseLinks(path)
    const file = this.#read(path)
    const found = file?.bytes ?? null
    const unproved = this.catalog.unproved.get(path)
    const bytes = unproved ? settle(found, unproved) : found
    if (file && bytes === found) this.#learn(path, file)
    return { bytes, unwritten: bytes !== found, mtimeMs: file?.stats.mtimeMs ?? 0 }
  }

  /** A file that is gone while a writer is replacing it is not gone: it is where the writer moved it, or back already. */
  #read(path: string): FileBytes | undefined {
    const absolute = this.absolute(path)
    const known = this.catalog.files.get(path)
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const found = readFileAt(absolute) ?? (known && this.swap.inBetween(path, absolute))
      if (!known || (found && !isBeingSaved(found, known))) return found
      if (found) pause(BETWEEN_LOOKS_MS)
    }
    return readFileAt(absolute)
  }

  /** Reads a file and what it says; `undefined` when there is none. One that can't be read says why. */
  see(place: Place, claims?: Claims): SeenFile | undefined {
    try {
      const { bytes, unwritten, mtimeMs } = this.bytesOf(place.path)
      if (bytes === null) return undefined
      return { place, bytes, unwritten, said: this.say(place, bytes, mtimeMs, claims) }
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      return { place, bytes: null, unwritten: false, said: { entries: [], problems: [error.message] } }
    }
  }

  /** Whether these are the bytes it should have; if so, its signature will do next time. */
  #learn(path: string, file: FileBytes): boolean {
    const known = this.catalog.files.get(path)
    if (!known || known.hash !== hashBytes(file.bytes)) return false
    this.catalog.sign(path, settledSignature(file.stats))
    return true
  }

  say(place: Place, bytes: Uint8Array | null, mtimeMs: number, claims?: Claims): Said {
    if (bytes === null) return { entries: [], problems: [] }
    const text = decodeText(bytes)
    if (text === undefined) return { entries: [], problems: ['it is not UTF-8 text'] }
    return readText(place, text, {
      zone: this.settings.timezone,
      yaml: this.#facts.yaml,
      mtimeMs,
      known: (id) => this.catalog.head(id),
      mayHold: (id) => place.mirror || this.#mayHold(id, place.path, claims),
    })
  }

  /** A file that was copied by hand still names the id of the first: that one keeps it, the copy is a new entry. */
  #mayHold(id: string, path: string, claims: Claims | undefined): boolean {
    const home = this.catalog.head(id)?.path
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
      return { edits: [], problems: seen.said.problems.map((problem) => ({ path: place.path, problem })) }
    }
    const elsewhere = place.mirror && seen ? this.#idsInMonths(place.scope) : undefined
    const entries = (seen?.said.entries ?? []).filter((entry) => !elsewhere?.has(entry.id))
    const found = new Set(entries.map((entry) => entry.id))
    const gone = [...this.catalog.idsAt(place.path)].filter((id) => !found.has(id))
    const source = seen?.bytes ? hashBytes(seen.bytes) : null
    const edits = [
      ...entries.map((entry) => handEdit(this.catalog.head(entry.id), entry)),
      ...gone.map((id) => handEdit(this.catalog.head(id), undefined)),
    ].flatMap((edit) => (edit ? { ...edit, source } : []))
    if (edits.length === 0 && seen?.bytes && !seen.unwritten) this.#adopt(place.path, seen.bytes)
    return {
      edits,
      problems: (seen?.said.problems ?? []).map((problem) => ({ path: place.path, problem })),
    }
  }

  /** A log that was appended to has no hash on record; once every entry in it was compared, it has. */
  #adopt(path: string, bytes: Uint8Array): void {
    const known = this.catalog.files.get(path)
    if (!known || known.hash !== undefined) return
    known.hash = hashBytes(bytes)
    const stats = statFile(this.absolute(path))
    if (stats && stats.size === bytes.length) this.catalog.sign(path, settledSignature(stats))
  }

  /** What stands in the monthly files: of the mirror, only the rest counts. */
  #idsInMonths(scope: Scope): ReadonlySet<string> {
    const folder = scopeFolder(this.layout, scope)
    const names = listFolder(this.absolute(folder)).map((item) => item.name)
    // A month that a crash kept from being written stands in the journal.
    const unwritten = [...this.catalog.unproved.keys()].filter((path) => path.startsWith(folder))
    const all = new Set([...names, ...unwritten.map((path) => path.slice(folder.length))])
    const places = [...all].flatMap((name) => placeInScope(this.layout, scope, name) ?? [])
    const months = places.filter((place) => place.kind === 'history' && !place.mirror)
    return new Set(months.flatMap((place) => this.see(place)?.said.entries.map((entry) => entry.id) ?? []))
  }

  *#agentFolders(): Generator<readonly [Scope, string]> {
    if (this.settings.layout === 'flat') return
    const folders = listFolder(join(this.root, 'agents')).filter((item) => item.isDirectory())
    // The folder spelled like the id itself wins over one that differs in case: it comes last.
    const names = folders
      .map((item) => item.name)
      .sort((a, b) => Number(a === a.toLowerCase()) - Number(b === b.toLowerCase()))
    for (const name of names) {
      const id = agentIdOf(name)
      if (id !== undefined) yield [id, name]
    }
  }
}

/** Many editors empty a file and then write it: what they emptied just now is not yet what they mean. */
function isBeingSaved({ bytes, stats }: FileBytes, known: KnownFile): boolean {
  const age = Math.abs(Date.now() - stats.mtimeMs)
  return bytes.length === 0 && known.size !== 0 && age < SAVE_MS
}

function agentIdOf(folder: string): Scope | undefined {
  try {
    return normalizeAgentId(folder)
  } catch {
    return undefined // not an agent's folder
  }
}
