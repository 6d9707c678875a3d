/**
 * A workspace as one process sees it: the catalogue kept in step with the journal, and the files read through it. Reading
 * only: nothing here writes, takes the lock, or waits for anyone, so that a read-only folder can be recalled from.
 */
import { join } from 'node:path'
import type { ParseYaml } from '../../codec/file-entry.ts'
import type { JournalHeader } from '../../codec/journal-record.ts'
import { ForeignError, isKeepsakeError } from '../../errors.ts'
import { Draft, type StateView } from '../../model/draft.ts'
import { type Entry, type EntryHead, type Scope, WORLD } from '../../model/entry.ts'
import { KINDS, type Kind } from '../../model/kinds.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { Problem, Settings } from '../../ports/store.ts'
import { Catalog } from './catalog.ts'
import { readCheckpoint } from './checkpoint.ts'
import { readText, type Said } from './file-text.ts'
import { type HandEdit, handEdit } from './hand-edit.ts'
import { Journal, type Position } from './journal.ts'
import {
  foldersOf,
  isOutside,
  type Layout,
  outsideIdentity,
  type Place,
  placeInFolder,
  placeInScope,
  placeOf,
  STATE_FOLDER,
  scopeFolder,
} from './layout.ts'
import { listFolder } from './list-folder.ts'
import { thisProcess } from './owner.ts'
import {
  decodeText,
  type FileBytes,
  hashBytes,
  readFileAt,
  sameSignature,
  settledSignature,
  signatureOf,
  statFile,
} from './system.ts'
import { settle } from './unproved.ts'
import { readSettings } from './workspace-settings.ts'

const RECENT_FILES = 64

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

/** Where we are in the journal, and whether what it says of the files can be trusted. */
export interface JournalState {
  epoch: string
  position: Position
  inode: number
  boot: string
  /** Copied, synced or damaged: files win over everything, and the next write starts a new epoch. */
  foreign: boolean
  tailRecords: number
  tailBytes: number
  checkpointBytes: number
}

/** A file as it should be taken: what it holds, or what it would hold had a crash not come between. */
export interface SeenFile {
  readonly place: Place
  readonly bytes: Uint8Array | null
  /** The bytes differ from those on disk: a write of ours is still to be done. */
  readonly unwritten: boolean
  readonly said: Said
}

export interface Survey {
  readonly edits: readonly HandEdit[]
  readonly problems: readonly Problem[]
}

export class Workspace {
  readonly root: string
  readonly journal: Journal
  #facts: WorkspaceFacts
  #catalog = new Catalog()
  #state: JournalState | undefined
  #loaded = false
  #layout: Layout | undefined

  constructor(facts: WorkspaceFacts) {
    this.#facts = facts
    this.root = facts.root
    this.journal = new Journal(join(facts.root, STATE_FOLDER, 'journal'))
  }

  get stateFolder(): string {
    return join(this.root, STATE_FOLDER)
  }

  get catalog(): Catalog {
    return this.#catalog
  }

  get settings(): Settings {
    return this.#facts.settings
  }

  get yaml(): ParseYaml {
    return this.#facts.yaml
  }

  /** `undefined` until there is a journal. */
  get state(): JournalState | undefined {
    return this.#state
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
    if (settings.id !== this.settings.id) this.#loaded = false
    this.#facts = { ...this.#facts, settings, pinned: true }
    this.forgetLayout()
  }

  /** Takes in what other processes have written since. */
  catchUp(): void {
    if (!this.#facts.pinned) {
      const settings = readSettings(this.root, this.#facts.yaml)
      if (settings) this.adoptSettings(settings)
    }
    if (!this.#loaded || !this.#follow()) this.#load()
  }

  /** After a new segment was started or records were appended by this process itself. */
  setState(state: JournalState): void {
    this.#state = state
    this.#loaded = true
  }

  forgetLayout(): void {
    this.#layout = undefined
  }

  #load(): void {
    this.forgetLayout()
    const checkpoint = readCheckpoint(this.stateFolder)
    const segments = this.journal.segments()
    this.#catalog = checkpoint?.catalog ?? new Catalog()
    this.#state = undefined
    this.#loaded = true
    const start = checkpoint?.position ?? { segment: segments[0] ?? 0, offset: 0 }
    for (const segment of segments) {
      if (segment >= start.segment) this.#take(segment, segment === start.segment ? start.offset : 0)
    }
    if (this.#state && checkpoint) (this.#state as JournalState).checkpointBytes = checkpoint.bytes // set by #take
    const lost = checkpoint !== undefined && !segments.includes(checkpoint.position.segment)
    if (lost || (this.#state as JournalState | undefined)?.foreign) this.#catalog.distrustFiles()
  }

  /** Reads a segment on from an offset. */
  #take(segment: number, offset: number): void {
    const part = this.journal.read(segment, offset)
    if (!part) return
    const first = part.lines[0]
    const header = first && 'header' in first ? first.header : offset > 0 ? this.#headerOf(segment) : undefined
    if (!header) return
    this.#refuseOtherWorkspace(header, segment)
    const me = thisProcess()
    const sameBoot = header.boot === me.boot
    let records = 0
    for (const line of part.lines) {
      if (!('record' in line)) continue
      this.#catalog.replay(line.record, sameBoot)
      records++
    }
    const foreign = header.host !== me.host || header.inode !== part.inode || part.rest === 'damaged'
    this.#state = {
      epoch: header.epoch,
      position: { segment, offset: offset + part.length },
      inode: part.inode,
      boot: header.boot,
      foreign,
      tailRecords: (this.#state?.tailRecords ?? 0) + records,
      tailBytes: (this.#state?.tailBytes ?? 0) + part.length,
      checkpointBytes: this.#state?.checkpointBytes ?? 0,
    }
  }

  #headerOf(segment: number): JournalHeader | undefined {
    const first = this.journal.read(segment, 0)?.lines[0]
    return first && 'header' in first ? first.header : undefined
  }

  #refuseOtherWorkspace(header: JournalHeader, segment: number): void {
    if (header.workspace === this.settings.id) return
    throw new ForeignError(
      this.journal.pathOf(segment),
      `this journal belongs to workspace ${header.workspace}, not to ${this.settings.id}`,
    )
  }

  /** Reads what was added; `false` when the journal is no longer the one that we know. */
  #follow(): boolean {
    if (!this.#state) return this.journal.segments().length === 0
    const { segment, offset } = this.#state.position
    const stats = statFile(this.journal.pathOf(segment))
    if (!stats || stats.ino !== this.#state.inode || stats.size < offset) return false
    if (stats.size > offset) this.#take(segment, offset)
    for (let next = segment + 1; statFile(this.journal.pathOf(next)); next++) this.#take(next, 0)
    return true
  }

  /** The state that the journal tells, with texts from the files as they are now. For one turn or one answer. */
  view(): StateView {
    const recent = new Map<string, ReadonlyMap<string, Entry>>()
    return {
      head: (id) => this.#catalog.head(id),
      owner: (scope, handle) => this.#catalog.owner(scope, handle),
      get: (id) => {
        const head = this.#catalog.head(id)
        if (head?.path === undefined) return undefined
        if (!recent.has(head.path)) {
          // Entries of one log come one after the other: a few files are enough to read each only once.
          if (recent.size >= RECENT_FILES) recent.clear()
          const seen = this.see(placeOf(this.layout, head, head.path))
          recent.set(head.path, new Map(seen?.said.entries.map((entry) => [entry.id, entry])))
        }
        return recent.get(head.path)?.get(id)
      },
    }
  }

  /** Whether a file is what it should be: by its signature, or, when that is in doubt, by its hash. */
  isAsKnown(path: string): boolean {
    const known = this.#catalog.files.get(path)
    if (!known || this.#catalog.unproved.has(path)) return false
    const stats = statFile(this.absolute(path))
    if (!stats?.isFile()) return false
    if (known.signature && sameSignature(known.signature, signatureOf(stats))) return true
    if (known.hash === undefined || known.size !== stats.size) return false
    const file = readFileAt(this.absolute(path))
    return file !== undefined && this.#learn(path, file)
  }

  /** Reads a file and settles what a crash may have left; `undefined` when there is no file and should be none. */
  see(place: Place): SeenFile | undefined {
    const path = this.absolute(place.path)
    let file: FileBytes | undefined
    try {
      file = readFileAt(path)
    } catch (error) {
      const problem = isKeepsakeError(error) ? error.message : String(error)
      return { place, bytes: null, unwritten: false, said: { entries: [], problems: [problem] } }
    }
    const unproved = this.#catalog.unproved.get(place.path)
    const found = file?.bytes ?? null
    const bytes = unproved ? settle(found, unproved) : found
    if (bytes === null && found === null) return undefined
    const unwritten = bytes !== found
    if (file && !unwritten) this.#learn(place.path, file)
    return { place, bytes, unwritten, said: this.say(place, bytes, file?.stats.mtimeMs ?? 0) }
  }

  /** Whether these are the bytes it should have; if so, its signature will do next time. */
  #learn(path: string, file: FileBytes): boolean {
    const known = this.#catalog.files.get(path)
    if (!known || known.hash !== hashBytes(file.bytes)) return false
    known.signature = settledSignature(file.stats)
    return true
  }

  say(place: Place, bytes: Uint8Array | null, mtimeMs: number): Said {
    if (bytes === null) return { entries: [], problems: [] }
    const text = decodeText(bytes)
    if (text === undefined) return { entries: [], problems: ['it is not UTF-8 text'] }
    return readText(place, text, {
      zone: this.settings.timezone,
      yaml: this.#facts.yaml,
      mtimeMs,
      known: (id) => this.#catalog.head(id),
      mayHold: (id) => place.mirror || this.#mayHold(id, place.path),
    })
  }

  /** A file that was copied by hand still names the id of the first: that one keeps it, the copy is a new entry. */
  #mayHold(id: string, path: string): boolean {
    const home = this.#catalog.head(id)?.path
    if (home === undefined || home === path) return true
    const original = readFileAt(this.absolute(home))
    return !original || !Buffer.from(original.bytes).includes(id)
  }

  /** What hands did to one file since we last knew it. */
  inspect(place: Place): Survey {
    if (this.isAsKnown(place.path)) return { edits: [], problems: [] }
    const seen = this.see(place)
    if (seen?.said.problems.length && seen.said.entries.length === 0) {
      // Can't be understood: what we knew of it stays known, and the file stays as it is.
      return { edits: [], problems: seen.said.problems.map((problem) => ({ path: place.path, problem })) }
    }
    const entries = (seen?.said.entries ?? []).filter((entry) => !place.mirror || !this.#standsElsewhere(entry, place))
    const found = new Set(entries.map((entry) => entry.id))
    const gone = [...this.#catalog.idsAt(place.path)].filter((id) => !found.has(id))
    const edits = [
      ...entries.map((entry) => handEdit(this.#catalog.head(entry.id), entry)),
      ...gone.map((id) => handEdit(this.#catalog.head(id), undefined)),
    ].filter((edit) => edit !== undefined)
    if (edits.length === 0 && seen?.bytes && !seen.unwritten) this.#adopt(place.path, seen.bytes)
    return {
      edits,
      problems: (seen?.said.problems ?? []).map((problem) => ({ path: place.path, problem })),
    }
  }

  /** A log that was appended to has no hash on record; once every entry in it was compared, it has. */
  #adopt(path: string, bytes: Uint8Array): void {
    const known = this.#catalog.files.get(path)
    if (!known || known.hash !== undefined) return
    known.hash = hashBytes(bytes)
    const stats = statFile(this.absolute(path))
    if (stats && stats.size === bytes.length) known.signature = settledSignature(stats)
  }

  #standsElsewhere(entry: Entry, place: Place): boolean {
    const known = this.#catalog.head(entry.id)
    if (known) return known.path !== place.path
    const monthly = `${scopeFolder(this.layout, place.scope)}HISTORY-${entry.createdAt.slice(0, 7)}.md`
    const truth = this.see({ ...place, path: monthly, mirror: false })
    return truth?.said.entries.some((other) => other.id === entry.id) ?? false
  }

  /** Looks at every file of these scopes and kinds: what hands did, and what can't be read. */
  survey(wanted?: readonly Scope[], kinds?: readonly Kind[]): Survey {
    this.forgetLayout()
    const scopes = wanted ?? this.scopes()
    const problems: Problem[] = []
    const edits = new Map<string, HandEdit>()
    const seenPaths = new Set<string>()
    const look = (place: Place): void => {
      if (kinds && !kinds.some((kind) => sharesFile(kind, place.kind))) return
      seenPaths.add(place.path)
      const found = this.inspect(place)
      problems.push(...found.problems)
      for (const edit of found.edits) {
        const id = (edit.after ?? edit.before)?.id ?? ''
        // An entry that is gone here and stands there was moved; that it stands somewhere is what counts.
        if (edit.after || !edits.has(id)) edits.set(id, edit)
      }
    }
    for (const place of this.#places(scopes, problems)) look(place)
    for (const path of this.#catalog.files.keys()) {
      if (seenPaths.has(path)) continue
      const [first] = this.#catalog.idsAt(path)
      const head = first === undefined ? undefined : this.#catalog.head(first)
      if (head && scopes.includes(head.scope)) look(placeOf(this.layout, head, path))
    }
    return { edits: [...edits.values()], problems: [...problems, ...this.#doubleNames()] }
  }

  /** The journal's state with the hands' edits on top, and the heads of all that is in it. */
  viewWithEdits(edits: readonly HandEdit[]): { readonly view: StateView; readonly heads: readonly EntryHead[] } {
    const draft = new Draft(this.view())
    let seq = this.#catalog.nextSeq
    const fresh = edits
      .flatMap((edit) => edit.after ?? [])
      .filter((entry) => entry.seq === 0)
      .sort(byTime)
    const numbered = new Map(fresh.map((entry) => [entry.id, { ...entry, seq: seq++ }]))
    for (const { before, after } of edits) {
      const id = (after ?? before)?.id ?? ''
      draft.put(id, after && (numbered.get(id) ?? after))
    }
    const heads = new Map<string, EntryHead>()
    for (const head of this.#catalog.heads()) heads.set(head.id, head)
    for (const [id, entry] of draft.changed()) {
      if (entry) heads.set(id, entry)
      else heads.delete(id)
    }
    return { view: draft, heads: [...heads.values()] }
  }

  scopes(): Scope[] {
    if (this.settings.layout === 'flat') return [WORLD, this.layout.flatAgent]
    const known = new Set([...this.#catalog.heads()].map((head) => head.scope))
    return [...new Set([WORLD, ...this.layout.agentFolders.keys(), ...known])]
  }

  *#places(scopes: readonly Scope[], problems: Problem[]): Generator<Place> {
    for (const scope of scopes) {
      for (const folder of foldersOf(this.layout, scope)) {
        for (const name of this.#filesIn(folder.path, problems)) {
          const place = placeInFolder(this.layout, folder, name)
          if (place) yield place
        }
      }
      if (scope === WORLD) continue
      const names = this.#filesIn(scopeFolder(this.layout, scope), problems)
      const places = names.flatMap((name) => placeInScope(this.layout, scope, name) ?? [])
      // Monthly files before their mirror, which holds only what they do not.
      yield* places.sort((a, b) => Number(a.mirror) - Number(b.mirror))
      const outside = outsideIdentity(this.layout, scope)
      if (outside && statFile(outside.path)) yield outside
    }
  }

  #filesIn(folder: string, problems: Problem[]): string[] {
    const path = this.absolute(folder)
    if (folder !== '' && statFile(path.replace(/\/$/, ''))?.isSymbolicLink()) {
      problems.push({ path: folder, problem: 'it is a link; links are not followed' })
      return []
    }
    const names: string[] = []
    for (const item of listFolder(path)) {
      if (!item.name.endsWith('.md')) continue
      if (item.isFile()) names.push(item.name)
      else problems.push({ path: `${folder}/${item.name}`, problem: 'it is not a plain file; links are not followed' })
    }
    return names.sort()
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

  #doubleNames(): Problem[] {
    return [...this.#catalog.contested()].map((key) => {
      const [scope = '', name = ''] = key.split('\0')
      return { path: scopeFolder(this.layout, scope), problem: `more than one entry is called "${name}"` }
    })
  }
}

function sharesFile(a: Kind, b: Kind): boolean {
  const [one, other] = [KINDS[a].place, KINDS[b].place]
  return JSON.stringify(one) === JSON.stringify(other)
}

function agentIdOf(folder: string): Scope | undefined {
  try {
    return normalizeAgentId(folder)
  } catch {
    return undefined // not an agent's folder
  }
}

function byTime(a: EntryHead, b: EntryHead): number {
  return a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : (a.path ?? '') < (b.path ?? '') ? -1 : 1
}
