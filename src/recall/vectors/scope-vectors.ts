/**
 * The vectors of one scope, in step with its index: which entries have theirs, and which want them. Invariant: vectors count only
 * for an entry that is there at the very revision they were made for. After the feed has started over, which a purge does, what no
 * entry has any more is forgotten at once, here and in the files.
 */
import type { Entry, Scope } from '../../model/entry.ts'
import { KIND_NAMES } from '../../model/kinds.ts'
import { digest32 } from '../../model/revision.ts'
import type { Cursor, Store } from '../../ports/store.ts'
import type { Segment } from '../../search/segment.ts'
import { decode } from '../../search/utf8.ts'
import { COLUMN, MIRROR, REVISION_DIGITS } from '../entry-document.ts'
import { piecesOf } from '../pieces.ts'
import type { ScopeIndex } from '../scope-index.ts'
import { BLOCK_ROWS, type Head } from './block.ts'
import { Breathing } from './breath.ts'
import type { Refusal } from './embed-taken.ts'
import type { RefusedEntry } from './meaning-view.ts'
import { type EntryPieces, Refusals } from './refusals.ts'
import { VectorFiles } from './vector-files.ts'
import { VectorRows } from './vector-rows.ts'

const IDENTITY = KIND_NAMES.indexOf('identity')
/** So many changed entries are looked at in passing; most changes leave most texts as they were. */
const FEW = 32
const NOTHING: ReadonlyMap<string, Float32Array> = new Map()

export class ScopeVectors {
  readonly scope: Scope
  readonly #store: Store
  readonly #files: VectorFiles
  #rows: VectorRows | undefined
  /** Entries without vectors, and the revision they are at. */
  readonly #wanted = new Map<string, string>()
  /** Entries that have no piece at this revision. */
  readonly #bare = new Map<string, string>()
  readonly #refusals = new Refusals()
  /** Of the files, as they were last read or written. */
  #head: Head | undefined
  #generation = 1
  /** Of vectors that the model makes now, once that is known. */
  #dimensions: number | undefined
  /** Of the feed, when the rows were last in step with it. */
  #epoch: string | undefined
  #cursor: Cursor | undefined
  #opening: Promise<void> | undefined
  #lookAtAll = false

  constructor(store: Store, scope: Scope, model: string) {
    this.#store = store
    this.scope = scope
    this.#files = new VectorFiles(store.derived, { model, scope })
  }

  get rows(): VectorRows | undefined {
    return this.#rows
  }

  get wanted(): ReadonlyMap<string, string> {
    return this.#wanted
  }

  get refused(): readonly RefusedEntry[] {
    return this.#refusals.entries
  }

  /** `undefined`: it is not there, or has nothing that a model reads. */
  has(id: string): boolean | undefined {
    if (this.#rows?.isCurrent(id)) return true
    return this.#wanted.has(id) || this.#refusals.has(id) ? false : undefined
  }

  get isSaved(): boolean {
    return !this.#rows || this.#rows.changedBlocks.size === 0
  }

  /** What the files hold, once. */
  open(): Promise<void> {
    this.#opening ??= this.catchUp()
    return this.#opening
  }

  /** `mayRead`: what others have saved, where anything is wanted. Whoever writes has it all. */
  async follow(index: ScopeIndex, mayRead: boolean): Promise<void> {
    await this.open()
    const changed = this.#look(index)
    for (const [id, revision] of this.#refusals.takePassed()) this.#wanted.set(id, revision)
    if (mayRead && this.#wanted.size + this.#refusals.entries.length > 0) await this.catchUp()
    if (changed.length <= FEW) await this.#settleAll(changed)
    this.#cursor = index.at
    if (this.#epoch !== this.#cursor?.epoch) this.#startOver()
  }

  /** Vectors of another length can't be compared with those that the model makes now: the next look wants them again. */
  expect(dimensions: number): void {
    this.#dimensions = dimensions
    if (!this.#rows || this.#rows.dimensions === dimensions) return
    this.#numberAnew(undefined)
    this.#lookAtAll = true
  }

  /** What others have saved since. */
  async catchUp(): Promise<void> {
    const head = await this.#files.head()
    const known = this.#head
    if (!head) {
      if (known) this.#numberAnew(this.#rows)
      this.#head = undefined
      return
    }
    if (known?.generation === head.generation && known.rows === head.rows && known.epoch === head.epoch) return
    if (this.#dimensions !== undefined && this.#dimensions !== head.dimensions) return this.#passOver(head)
    if (!(await this.#readOn(head))) await this.#reload(head)
    for (const [id, revision] of this.#wanted) this.#isSettled(id, revision)
    for (const [id, revision] of this.#refusals.revisions()) this.#isSettled(id, revision)
  }

  /** Its pieces by the hash of their text. */
  piecesOf(entry: Entry): Map<string, string> {
    return new Map(piecesOf(entry).map((piece) => [digest32(piece), piece]))
  }

  /** Whether it has all its vectors now. What is not the revision that the index knows is left to the next look. */
  settle(id: string, revision: string, hashes: ReadonlySet<string>, fresh: ReadonlyMap<string, Float32Array>): boolean {
    if (this.#wanted.get(id) !== revision) return false
    if (hashes.size === 0) this.#bare.set(id, revision)
    else if (!this.#rowsFor(fresh)?.put(id, revision, hashes, fresh)) return false
    this.#wanted.delete(id)
    return true
  }

  refuse(texts: ReadonlyMap<string, Refusal>): void {
    this.#refusals.refuse(texts)
  }

  /** Whether it has a text that was refused: then it wants nothing any more. */
  setAside(entry: EntryPieces): boolean {
    if (this.#wanted.get(entry.id) !== entry.revision || !this.#refusals.setAside(entry)) return false
    this.#wanted.delete(entry.id)
    return true
  }

  /** What changed, by whoever holds the lease. False: it could not be kept, and is tried again with the next. */
  async save(): Promise<boolean> {
    if (this.#cursor && this.#epoch !== this.#cursor.epoch) this.#startOver()
    const dead = this.#rows ? this.#rows.rows - this.#rows.currentRows : 0
    if (this.#rows && this.#wanted.size === 0 && dead > Math.max(this.#rows.rows / 2, BLOCK_ROWS)) {
      this.#numberAnew(this.#rows.retained())
    }
    const rows = this.#rows
    const cursor = this.#cursor
    if (!rows || !cursor || rows.changedBlocks.size === 0) return true
    const { dimensions } = rows
    const head = { dimensions, rows: rows.rows, generation: this.#generation, epoch: cursor.epoch, isOldPieces: false }
    const isKept = await this.#files.write(rows, head, this.#head?.rows ?? 0, cursor)
    if (isKept) this.#head = head
    // What a purge has made void meanwhile was not to be kept.
    return isKept || (await this.#store.feed('now')).cursor.epoch !== cursor.epoch
  }

  /** For who has no index: only entries at these revisions have vectors, and nothing else is kept. */
  retain(revisions: ReadonlyMap<string, string>, cursor: Cursor): void {
    for (const id of this.#rows?.ids() ?? []) {
      this.#rows?.setCurrent(id, this.#rows.revisionOf(id) === revisions.get(id))
    }
    this.#cursor = cursor
    this.#head = undefined
    this.#startOver()
  }

  /** The entries that were changed, and had vectors before. */
  #look(index: ScopeIndex): string[] {
    const touched = index.takeTouched()
    if (!touched || this.#lookAtAll) {
      this.#lookAtAll = false
      this.#lookAll(index)
      return []
    }
    const changed: string[] = []
    const segments = index.index.segments()
    for (const id of touched) {
      const segment = segments.find((one) => one.find(id) >= 0)
      this.#see(id, segment && revisionIn(segment, segment.find(id)))
      if (this.#wanted.has(id) && this.#rows?.revisionOf(id) !== undefined) changed.push(id)
    }
    return changed
  }

  #lookAll(index: ScopeIndex): void {
    for (const id of this.#rows?.ids() ?? []) this.#rows?.setCurrent(id, false)
    this.#wanted.clear()
    const seen = new Set<string>()
    for (const segment of index.index.segments()) {
      for (let document = 0; document < segment.documents; document++) {
        const revision = segment.removed.has(document) ? undefined : revisionIn(segment, document)
        if (revision === undefined) continue
        const id = segment.id(document)
        seen.add(id)
        this.#see(id, revision)
      }
    }
    this.#refusals.retain(seen)
  }

  /** `undefined`: it is not there, or not for a model to read. */
  #see(id: string, revision: string | undefined): void {
    this.#rows?.setCurrent(id, false)
    this.#wanted.delete(id)
    if (revision !== undefined && this.#refusals.holds(id, revision)) return
    this.#refusals.delete(id)
    if (revision === undefined || this.#bare.get(id) === revision) return
    this.#wanted.set(id, revision)
    this.#isSettled(id, revision)
  }

  #isSettled(id: string, revision: string): void {
    if (this.#rows?.revisionOf(id) !== revision) return
    this.#rows.setCurrent(id, true)
    this.#wanted.delete(id)
    this.#refusals.delete(id)
  }

  async #settleAll(ids: readonly string[]): Promise<void> {
    const breathing = new Breathing()
    for (const id of ids) {
      const entry = await this.#store.get(id)
      if (!entry) continue
      this.settle(id, entry.revision, new Set(this.piecesOf(entry).keys()), NOTHING)
      await breathing.after(entry.content)
    }
  }

  async #readOn(head: Head): Promise<boolean> {
    const [rows, known] = [this.#rows, this.#head]
    if (!rows || !known || rows.rows !== known.rows || head.generation !== this.#generation) return false
    if (head.epoch !== known.epoch || head.isOldPieces || !(await this.#files.readOn(head, rows))) return false
    this.#head = { ...head, rows: rows.rows } // a block may be ahead of the head
    return true
  }

  async #reload(head: Head): Promise<void> {
    const { rows, isWhole } = await this.#files.read(head)
    const before = this.#rows
    this.#epoch ??= head.epoch
    this.#rows = rows
    this.#generation = head.generation
    this.#head = { ...head, rows: rows.rows }
    if (!isWhole) this.#numberAnew(rows)
    if (before?.dimensions === rows.dimensions) before.carryOver(rows)
    else this.#lookAtAll = before !== undefined
    if (head.epoch !== this.#epoch) this.#epoch = undefined // what is not there now is not to come back by this
  }

  /** Files of another length than the model's vectors have now: they are written anew. */
  #passOver(head: Head): void {
    this.#head = head
    this.#generation = head.generation
    if (this.#rows) this.#numberAnew(this.#rows)
  }

  /** The rows that vectors of this length belong to. Of another length than before, they are the first of a new set. */
  #rowsFor(fresh: ReadonlyMap<string, Float32Array>): VectorRows | undefined {
    const [first] = fresh.values()
    if (!first || first.length === this.#rows?.dimensions) return this.#rows
    this.#lookAtAll = this.#rows !== undefined
    this.#dimensions = first.length
    this.#numberAnew(new VectorRows(first.length))
    return this.#rows
  }

  #startOver(): void {
    if (this.#rows) this.#numberAnew(this.#rows.retained())
    this.#epoch = this.#cursor?.epoch
  }

  #numberAnew(rows: VectorRows | undefined): void {
    this.#rows = rows
    this.#generation++
    rows?.changeAll()
  }
}

/** `undefined` for what has no pieces: see pieces.ts. */
function revisionIn(segment: Segment, document: number): string | undefined {
  const kind = segment.column(document, COLUMN.kind)
  if (kind === IDENTITY || kind === MIRROR) return undefined
  return decode(segment.storedBytes(document).subarray(0, REVISION_DIGITS))
}
