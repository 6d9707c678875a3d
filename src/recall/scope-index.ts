/**
 * The index of one scope, in step with its store: what the change feed tells is put in or taken out, and so is what hands did
 * that no change tells of yet. Invariant: after `follow` it holds the entries of the scope and no others, as they are, however
 * it came to be: from a snapshot, from the feed or from all entries. A snapshot only saves the way there.
 */
import type { Entry, EntryHead, Scope } from '../model/entry.ts'
import type { Change, Operation } from '../model/operation.ts'
import { revisionOf } from '../model/revision.ts'
import type { CallOptions, ChangeFeed, Cursor, Store } from '../ports/store.ts'
import type { Analyzer } from '../search/analyzer.ts'
import { SearchIndex } from '../search/search-index.ts'
import { documentOf, SCHEMA, stampOf, VERSION } from './entry-document.ts'

/** One by one up to here; more are read in one go, which looks at the whole folder once more. */
const FEW = 32
/** A snapshot is worth its writing when this many entries, and this share of all, would have to be read again without it. */
const WORTH_SAVING = 64
const WORTH_SAVING_SHARE = 1 / 16

/** Entries cached per scope. */
const MAX_CACHED = 256

interface Note {
  readonly version: number
  /** Whose entries these are: a file may have been put in the place of another. */
  readonly scope: Scope
  readonly zone: string
  readonly cursor: Cursor
  /** Entries that are in the index as a hand left them, and not as the last change did. */
  readonly edited: readonly string[]
}

export class ScopeIndex {
  readonly #store: Store
  readonly #scope: Scope
  readonly #analyzer: Analyzer
  #zone = ''
  #index: SearchIndex
  #cursor: Cursor | undefined
  #edited: ReadonlySet<string> = new Set()
  #unsaved = 0
  /** Entries that searches returned, at the revision that the index has. */
  readonly #cached = new Map<string, Entry>()
  #opened = false
  /** Put in or taken out since `takeTouched`; missing while nobody asks, or where any may be. */
  #touched: Set<string> | undefined

  constructor(store: Store, scope: Scope, analyzer: Analyzer) {
    this.#store = store
    this.#scope = scope
    this.#analyzer = analyzer
    this.#index = new SearchIndex(analyzer, SCHEMA)
  }

  get index(): SearchIndex {
    return this.#index
  }

  /** Where it has followed the feed to, as it stands. */
  get at(): Cursor | undefined {
    return this.#cursor
  }

  /** Which entries may be other than at the last call, for who keeps something beside the index. `undefined`: any may be. */
  takeTouched(): ReadonlySet<string> | undefined {
    const touched = this.#touched
    this.#touched = new Set()
    return touched
  }

  /** An entry that was read earlier and has not changed since. */
  cachedEntry(id: string): Entry | undefined {
    return this.#cached.get(id)
  }

  /** Not from a folder: a file may be edited or renamed at any moment. */
  cacheEntry(entry: Entry): void {
    if (entry.path !== undefined) return
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear()
    this.#cached.set(entry.id, entry)
  }

  /** Where it has followed the feed to; the snapshot is opened first. */
  async cursor(zone: string, options: CallOptions): Promise<Cursor | undefined> {
    if (!this.#opened || zone !== this.#zone) await this.#open(zone, options)
    return this.#cursor
  }

  /** `feed` begins at our cursor, or where there is none, now; its edits are those of this moment. */
  async follow(feed: ChangeFeed, options: CallOptions): Promise<void> {
    if (this.#cursor === undefined || feed.restarted) await this.#compare(options)
    else await this.#take(feed.changes, options)
    await this.#takeEdits(feed, options)
    this.#cursor = feed.cursor
  }

  /** Saves a snapshot where that spares the next process enough; a folder that can't be written to goes without. */
  async save(): Promise<void> {
    if (this.#store.capabilities.durable !== true) return // there will be no next process
    if (this.#unsaved < Math.max(WORTH_SAVING, this.#index.size * WORTH_SAVING_SHARE) || !this.#cursor) return
    const [scope, zone, edited] = [this.#scope, this.#zone, [...this.#edited]]
    const note: Note = { version: VERSION, scope, zone, cursor: this.#cursor, edited }
    this.#unsaved = 0
    await this.#store.derived.write(this.#key, this.#index.save(JSON.stringify(note)), this.#cursor)
  }

  get #key(): string {
    return `words-${this.#analyzer.language}-${this.#scope}`
  }

  async #open(zone: string, options: CallOptions): Promise<void> {
    this.#opened = true
    this.#touched = undefined
    this.#cached.clear()
    this.#zone = zone
    this.#cursor = undefined
    this.#index = new SearchIndex(this.#analyzer, SCHEMA)
    const bytes = await this.#store.derived.read(this.#key, options)
    const opened = bytes && SearchIndex.open(bytes, this.#analyzer, SCHEMA)
    if (!opened || 'problem' in opened) return // made anew from the entries, whatever is wrong with it
    const note = JSON.parse(opened.note) as Note // as we wrote it: see Derived
    if (note.version !== VERSION || note.scope !== this.#scope || note.zone !== zone) return
    this.#index = opened.index
    this.#cursor = note.cursor
    this.#edited = new Set(note.edited)
  }

  /** Where the feed can't tell what changed: every head against what the index holds of it. */
  async #compare(options: CallOptions): Promise<void> {
    this.#edited = new Set()
    this.#cached.clear()
    const heads = await this.#store.heads({ scopes: [this.#scope] }, options)
    const there = new Set(heads.map((head) => head.id))
    for (const id of [...this.#index.ids()]) if (!there.has(id)) this.#remove(id)
    await this.#read(
      heads.filter((head) => !this.#holds(head)).map((head) => head.id),
      options,
    )
    // The feed begins anew after a purge: no word of what was purged may be saved again, not as that of a removed document either.
    this.#index = this.#index.withoutRemoved()
  }

  async #take(changes: readonly Change[], options: CallOptions): Promise<void> {
    const last = new Map<string, Operation | undefined>()
    for (const { operations } of changes) {
      for (const operation of operations) {
        const id = operation.id ?? ''
        // More than one operation on an entry: only the store can say what they come to.
        last.set(id, last.has(id) && operation.op !== 'remove' ? undefined : operation)
      }
    }
    const unclear: string[] = []
    for (const [id, operation] of last) {
      const entry = operation?.op === 'add' ? addedEntry(operation, this.#scope) : undefined
      if (operation?.op === 'remove') this.#remove(id)
      else if (entry) this.#put(entry)
      else if (operation?.op !== 'add' || operation.scope === this.#scope) unclear.push(id)
    }
    await this.#read(unclear, options)
  }

  /** What hands did is told anew each time. An edit that is told no longer was taken back, or is a change by now. */
  async #takeEdits({ edits }: ChangeFeed, options: CallOptions): Promise<void> {
    const told = new Set(edits.map((edit) => edit.id))
    await this.#read(
      [...this.#edited].filter((id) => !told.has(id)),
      options,
    )
    for (const { id, after } of edits) {
      if (after?.scope === this.#scope) this.#put(after)
      else this.#remove(id)
    }
    this.#edited = told
  }

  async #read(ids: readonly string[], options: CallOptions): Promise<void> {
    if (ids.length === 0) return
    const found = new Map<string, Entry>()
    if (ids.length <= FEW) {
      const entries = await Promise.all(ids.map((id) => this.#store.get(id, options)))
      for (const entry of entries) if (entry) found.set(entry.id, entry)
    } else {
      for await (const entry of this.#store.scan({ scopes: [this.#scope], ids: new Set(ids) }, options))
        found.set(entry.id, entry)
    }
    const wanted = [...found.values()].filter((entry) => entry.scope === this.#scope)
    for (const id of ids) if (found.get(id)?.scope !== this.#scope) this.#remove(id)
    this.#unsaved += wanted.length
    for (const { id } of wanted) this.#touch(id)
    this.#index.putAll(wanted.map((entry) => documentOf(entry, this.#zone)))
  }

  #put(entry: Entry): void {
    if (this.#holds(entry)) return
    this.#unsaved++
    this.#touch(entry.id)
    this.#index.put(documentOf(entry, this.#zone))
  }

  #remove(id: string): void {
    if (!this.#index.remove(id)) return
    this.#unsaved++
    this.#touch(id)
  }

  #touch(id: string): void {
    this.#touched?.add(id)
    this.#cached.delete(id)
  }

  #holds(head: EntryHead): boolean {
    return this.#index.stored(head.id)?.startsWith(stampOf(head)) === true
  }
}

/** An addition tells all that an entry is: its text need not be looked for in a file. */
function addedEntry(operation: Operation, scope: Scope): Entry | undefined {
  if (operation.op !== 'add' || operation.scope !== scope) return undefined
  const { id, seq, kind, name = null, key, aliases = [], description = '', content, metadata = {} } = operation
  const { expiresAt = null, createdAt, updatedAt, origin } = operation
  if (id === undefined || seq === undefined || createdAt === undefined || updatedAt === undefined || !origin) {
    return undefined
  }
  const entry = { id, seq, scope, kind, name, aliases, description, content, metadata, createdAt, updatedAt, expiresAt }
  return { ...entry, origin, ...(key === undefined ? {} : { key }), revision: revisionOf(entry) }
}
