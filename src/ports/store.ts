/**
 * What a store must do, and no more: everything else is built on top of this, once. Types only.
 * A store is raw: it returns expired entries too, does not rank, and knows no agent's view. The contract suite
 * (keepsake/testing) is the meaning of each line here.
 */
import type { Entry, EntryHead, JsonValue, Origin, OriginBy, Scope } from '../model/entry.ts'
import type { HeadFilter } from '../model/filter.ts'
import type { Kind } from '../model/kinds.ts'
import type { Batch, Change, Expect } from '../model/operation.ts'
import type { CallOptions } from '../model/options.ts'
import type { Occurrence } from '../model/redaction.ts'
import type { NativeVectors } from './vectors.ts'

export type { CallOptions } from '../model/options.ts'

export interface ApplyOptions extends CallOptions {
  /** Compare-and-swap: the batch is refused when an entry is not at the revision given here. */
  readonly expect?: Expect
}

export interface Applied {
  /** Missing when nothing changed. A store without history gives each change the number 0. */
  readonly change?: Change
  /** The touched entries as they are now, in the order of the operations; removed ones as they were. */
  readonly entries: readonly Entry[]
  /** What the caller should be told although the write succeeded, such as a hand edit found on the way. */
  readonly warnings: readonly string[]
}

export type ScanFilter = HeadFilter

/** A place in the feed of changes. Another epoch means: the feed started over, and so must its reader. */
export interface Cursor {
  readonly epoch: string
  readonly number: number
  /** Of a store whose feed can be copied, and go on differently in each copy: which change has this number. Goes with the rest. */
  readonly tag?: string
}

export interface ChangeFeed {
  readonly changes: readonly Change[]
  readonly cursor: Cursor
  /**
   * The given cursor was of another epoch, or older than what is kept: what the reader derived is void. So it is after a
   * purge, which takes its traces out of the changes too.
   */
  readonly restarted: boolean
  /**
   * How the entries of the scopes asked for differ from what the changes tell: what hands did that is not journaled yet. Always
   * all of it, whatever the cursor. One that is told no more was taken back, or is among the changes by now.
   */
  readonly edits: readonly PendingEdit[]
  /** What could not be read in these scopes. */
  readonly problems: readonly Problem[]
}

export interface PendingEdit {
  readonly id: string
  /** As `scan` of the same scopes gives it, seq included. Missing: `scan` does not give it, for it is gone or can't be read. */
  readonly after?: Entry
}

export interface FeedOptions extends CallOptions {
  /** Look for external edits in these scopes, or in all of them. If left out, `edits` is empty. */
  readonly edits?: readonly Scope[] | 'all'
  /** Changes that touch no entry in these scopes may be left out. */
  readonly scopes?: readonly Scope[]
}

/** What every process that opens a workspace must agree on. */
export interface Settings {
  /** The version of the files' format. */
  readonly format: number
  readonly id: string
  readonly layout: 'agents' | 'flat'
  /** The one agent of a flat workspace. */
  readonly agent?: string
  readonly timezone: string
  readonly identityFile: string
  readonly retentionDays: number
  /** Older than 30 days, the past is kept only up to this size. */
  readonly retentionMb: number
}

/** What one change did to one entry. */
export interface Touched {
  readonly id: string
  readonly before?: Entry
  readonly after?: Entry
}

export interface Recorded {
  readonly change: Change
  /** Each entry once, in the order in which the change first touched it. */
  readonly touched: readonly Touched[]
}

/** Selects changes. Every given condition must hold. */
export interface ChangeQuery {
  /** Only changes with these numbers. */
  readonly numbers?: readonly number[]
  /** Only changes with a lower number. */
  readonly before?: number
  /** Only changes with a higher number. */
  readonly after?: number
  /** Only changes at or after this instant. */
  readonly since?: string
  /** Only changes before this instant. */
  readonly until?: string
  readonly by?: OriginBy
  readonly agent?: string
  readonly session?: string
  /** Only changes that touched one of these entries. */
  readonly entries?: readonly string[]
  /** Changes of an entry that had this name or alias before or after the change. */
  readonly name?: string
  /**
   * Only changes that touched an entry in one of these scopes, before or after the change. A purge counts for the scopes it removed
   * from. A change of which a purge left nothing counts for the agent that made it.
   */
  readonly scopes?: readonly Scope[]
  /** `true`: only changes that are undone. `false`: only the others. */
  readonly undone?: boolean
  /** Default: no limit. */
  readonly limit?: number
}

/** A change as `changes` reports it. */
export interface LoggedChange extends Recorded {
  /** The number of the undo that reverted it, unless that undo is itself undone. */
  readonly undoneBy?: number
}

/** One state of an entry, and the change that produced it. */
export interface EntryVersion {
  readonly id: string
  /** Missing in the state where the kept history begins. */
  readonly change?: Change
  /** Missing: the change removed the entry. */
  readonly entry?: Entry
}

/** Selects removed entries. Every given condition must hold. */
export interface GoneFilter {
  readonly scopes?: readonly Scope[]
  readonly kinds?: readonly Kind[]
  /** Entries that ever had this id, this name or this alias. */
  readonly called?: string
}

/** The whole kept history; part of an image. */
export interface History {
  /** The time since which the history is complete. Missing: since the beginning, when the memory was empty. */
  readonly since?: string
  /** The state at that point. */
  readonly entries: readonly Entry[]
  /** Oldest first. Each iteration starts over. */
  changes(): AsyncIterable<Recorded>
}

export interface AbsorbOptions extends CallOptions {
  /** Take removals in bulk, which are held back until someone says that they were meant. */
  readonly acceptRemovals?: boolean
}

export interface Absorbed {
  readonly changes: readonly Change[]
  /** Entries whose files are gone, so many at once that it may be an accident. */
  readonly heldBack: readonly EntryHead[]
  /** What came out of step by a crash, as sentences. */
  readonly warnings: readonly string[]
}

export interface PurgeOptions extends CallOptions {
  /** Recorded with the change. Sessions of its agent lose the texts of world entries; without an agent, no session does. */
  readonly origin?: Origin
}

export interface Purged {
  /** What was rewritten or removed so that nothing of it is left there, as sentences. */
  readonly cleaned: readonly string[]
  /** Other entries, sessions and files with the same words. They were not changed. */
  readonly occurrences: readonly Occurrence[]
  /** Where copies may be that nobody here can reach, as sentences. */
  readonly outOfReach: readonly string[]
}

export type SessionRecord = { readonly [key: string]: JsonValue }

export interface SessionPage {
  /** The metadata line: the key, and `createdAt`, which never changes. */
  readonly meta: SessionRecord
  readonly records: readonly SessionRecord[]
  /** Where to read on from: the position behind the last of these. */
  readonly next: number
  /** The position given was of another text, which a purge has rewritten: these are read as if none had been given. */
  readonly restarted?: true
  /** Lines that could not be read, by number, and why. They are skipped, never removed. */
  readonly broken: readonly { readonly line: number; readonly problem: string }[]
}

/** As SessionPage, read from behind. */
export interface SessionTail extends SessionPage {
  /** Read on before this. 0: there is nothing before. */
  readonly start: number
}

export interface SessionInfo {
  readonly key: string
  /** `null`: nobody can read it any more. */
  readonly createdAt: string | null
  /** What is wrong with its metadata, so that this may not be all that it once said. */
  readonly problem?: string
}

export interface SessionAppendOptions extends CallOptions {
  /**
   * Compare-and-swap: only if the transcript still ends here, as `next` of a page told (0: there is no such session yet); else
   * a CONFLICT, and nothing is appended.
   */
  readonly expectEnd?: number
}

export interface SessionAppended {
  /** The position behind it, to read on from. */
  readonly end: number
}

/** Positions are numbers that only the store can read; 0 is the beginning of every session. */
export interface Sessions {
  /** Durable when it returns, whole or not at all. The first append makes the session. */
  append(
    scope: Scope,
    key: string,
    records: readonly SessionRecord[],
    options?: SessionAppendOptions,
  ): Promise<SessionAppended>
  /** Records from a position on (0 at first), all of them; `undefined` when there is no such session. */
  read(scope: Scope, key: string, from?: number, options?: CallOptions): Promise<SessionPage | undefined>
  /**
   * The records that end at a position (left out: at the end), oldest first: as many as one page holds, and never a part of an
   * append. It takes as long for a long session as for a short one. A position of another text (see `restarted`) counts as the end.
   */
  readBefore(scope: Scope, key: string, before?: number, options?: CallOptions): Promise<SessionTail | undefined>
  /** Oldest first, and by key where they are equally old. Nothing but the metadata is read. */
  list(scope: Scope, options?: CallOptions): Promise<readonly SessionInfo[]>
}

/** Bytes that can be made anew from the entries, such as an index snapshot. Losing them loses nothing. */
export interface Derived {
  /** To the byte as they were written, or `undefined`: where they could take damage, it is the store that finds out. */
  read(key: string, options?: CallOptions): Promise<Uint8Array | undefined>
  /**
   * Whether they were kept. They are not where the memory can only be read, was never written to (a first write makes the
   * workspace, nothing else does), or has no room. Of several writers the last one's bytes are kept, whole.
   * `madeFrom`: the feed's cursor that they tell of. They are not kept once the feed has started over since, so that what a
   * purge removed does not come back with them.
   */
  write(key: string, bytes: Uint8Array, madeFrom?: Cursor): Promise<boolean>
}

export interface Watch {
  stop(): Promise<void>
}

export interface Lease {
  release(): Promise<void>
}

/** What a store can do beyond the port, or why it can't. A lack is declared here, never discovered. */
export interface Capabilities {
  readonly durable: true | string
  readonly atomicBatch: true | string
  readonly sharedByProcesses: true | string
  readonly nativeSearch: true | string
  readonly watch: true | string
  readonly undo: true | string
  readonly asOf: true | string
  /** Compare-and-swap: `expect` of `apply`. */
  readonly expect: true | string
  /** A name or key has one owner in its scope, however many processes write. */
  readonly uniqueNames: true | string
  /** The store never assigns a `seq` twice, and keeps one that the caller gives. */
  readonly lastingSeq: true | string
  /** `changes`, `versions` and `gone`; a feed that reports each change. */
  readonly history: true | string
  /** A purge deletes earlier versions too. */
  readonly purgePast: true | string
  /** `adopt` copies history, sessions and files. Otherwise it copies present entries only, and needs `withoutHistory`. */
  readonly moveHistory: true | string
  readonly sessions: true | string
  readonly leases: true | string
  /** `derived` keeps what is written to it. */
  readonly derived: true | string
}

export interface Store {
  readonly capabilities: Capabilities
  settings(): Promise<Settings>
  apply(batch: Batch, options?: ApplyOptions): Promise<Applied>
  get(id: string, options?: CallOptions): Promise<Entry | undefined>
  /** By name or alias, exactly, in this one scope. */
  resolve(scope: Scope, name: string, options?: CallOptions): Promise<Entry | undefined>
  /** By the key of a context, exactly, in this one scope. */
  resolveKey(scope: Scope, key: string, options?: CallOptions): Promise<Entry | undefined>
  /** In the order of `seq`. */
  scan(filter?: ScanFilter, options?: CallOptions): AsyncIterable<Entry>
  /** As scan, without the texts, and so without reading what holds them. */
  heads(filter?: ScanFilter, options?: CallOptions): Promise<readonly EntryHead[]>
  /** The scopes that have entries, for a store that need not read all heads to know. */
  scopes?(options?: CallOptions): Promise<readonly Scope[]>
  /**
   * What could not be read, so that an answer can say so: path and reason. `everyFile`: also what was told before and is as it
   * was, which takes a look into every file.
   */
  problems(
    filter?: Pick<ScanFilter, 'scopes' | 'kinds'> & { readonly everyFile?: boolean },
  ): Promise<readonly Problem[]>
  /**
   * The changes after a cursor, or all kept changes of this epoch, and on request the external edits since. `now`: no changes, only the
   * cursor to continue from, for a reader that starts with a scan. Never writes.
   */
  feed(since?: Cursor | 'now', options?: FeedOptions): Promise<ChangeFeed>
  /** The changes that match, newest first, with what they did. Never writes. */
  changes(query?: ChangeQuery, options?: CallOptions): Promise<readonly LoggedChange[]>
  /**
   * The entries as they were after a change (0: before the first one) or at an instant, in the order of `seq`. An external edit counts
   * from when its file was saved, if that is known, not from when it was recorded. Never writes.
   *
   * @throws NOT_FOUND if the history doesn't reach back that far; `data.earliest` says how far it does.
   */
  stateAt(at: number | string, filter?: ScanFilter, options?: CallOptions): Promise<readonly Entry[]>
  /** All states of these entries: by entry in the given order, each oldest first. Never writes. */
  versions(ids: readonly string[], options?: CallOptions): Promise<readonly EntryVersion[]>
  /** The last state of removed entries, the most recently removed first. Never writes. */
  gone(filter?: GoneFilter, options?: CallOptions): Promise<readonly Entry[]>
  /**
   * Journals what hands did to the files, and writes to them what a crash kept from being written; a store without files, or one
   * that can't be written to, has nothing to do.
   */
  absorb(options?: AbsorbOptions): Promise<Absorbed>
  /**
   * Deletes every version of these entries, also of those that were deleted before. The sessions of the agent that owned an entry
   * lose its texts by the rule of model/redaction.ts; every other place with the same words is listed, but not changed.
   * The purge is itself a change, with its origin and without operations.
   */
  purge(ids: readonly string[], options?: PurgeOptions): Promise<Purged>
  /** Calls back, soon and not too often, after something changed by another process or by a hand. */
  watch(changed: () => void): Promise<Watch>
  readonly sessions: Sessions
  readonly derived: Derived
  /** There where `capabilities.nativeSearch` is true. */
  readonly vectors?: NativeVectors
  /** A text that people put into the workspace beside the entries, such as `directives/memory.md`. */
  document(name: string, options?: CallOptions): Promise<string | undefined>
  /** A named lease across processes for long work; `undefined` when another holds it. */
  lease(name: string): Promise<Lease | undefined>
  close(): Promise<void>
}

export interface Problem {
  readonly path: string
  readonly problem: string
  /** When it began or ends can't be read. It is not removed for that: without a readable end it counts as if it did not end. */
  readonly undated?: true
}

/** A transcript as it stands: its first line is the metadata, every other one what one append brought. */
export interface SessionText {
  readonly scope: Scope
  readonly key: string
  readonly text: Uint8Array
}

/**
 * A file of a folder beside what entries and transcripts say: a document; or one of entries whose bytes they alone do not tell,
 * for a hand's comments or an unusual place.
 */
export interface KeptFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string
  readonly bytes: Uint8Array
  /** Whose texts are in it. Where one of them is purged, or has become another since, the file is not written as it is. */
  readonly entries: readonly { readonly id: string; readonly revision: string }[]
}

/** Everything that a memory is, as of one moment, for another store to take over. Each iteration begins anew and gives the same. */
export interface MemoryImage {
  readonly settings: Settings
  readonly cursor: Cursor
  /** No seq from here on was ever given. */
  readonly nextSeq: number
  /** What was there at first, and every change that is kept; together they come to `entries`. */
  readonly history: History
  /** In the order of `seq`. */
  entries(): AsyncIterable<Entry>
  /** By scope, then by key. */
  sessions(): AsyncIterable<SessionText>
  /** By path. */
  files(): AsyncIterable<KeptFile>
  /** What is not part of it although somebody may miss it, as sentences. */
  readonly warnings: readonly string[]
  /** Releases what the image reads from. It can't be read afterwards. */
  close(): Promise<void>
}

export interface AdoptOptions extends CallOptions {
  /** Present entries only. Needed by a store that lacks `moveHistory` if the image has more than that. */
  readonly withoutHistory?: boolean
  /** Bytes or items, whichever the store counts. */
  readonly onProgress?: (done: number, total: number) => void
  /**
   * Called with what was built, before it is published. If it throws, nothing is left behind. A store that can't build beside its place
   * calls it at the end.
   */
  readonly check?: (built: MemoryImage) => Promise<void>
}

export interface Adopted {
  readonly warnings: readonly string[]
}

/** A store that a memory can be moved from and to. */
export interface Movable {
  /** Never writes; what hands did that is not journaled yet is one more change at the end of its history. */
  image(options?: CallOptions): Promise<MemoryImage>
  /**
   * Copies all of it: ids, seqs, times, numbers of changes. Only to an empty place (else CONFLICT). It is built beside its place and
   * appears complete or not at all. The next call removes what an interrupted one left.
   */
  adopt(image: MemoryImage, options?: AdoptOptions): Promise<Adopted>
  /** Records a copy of this memory at `path`, so that a purge can name it. */
  noteBackup(path: string): Promise<void>
}
