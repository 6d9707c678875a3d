/**
 * What the JSON API at /api/v1 says, as types: the server answers with them and the page is compiled against them.
 * docs/openapi.json tells the same to everybody else. Types only. Times are ISO-8601 UTC; every list is bounded.
 */
import type { Hunk } from '../history/line-diff.ts'
import type { Entry, EntryHead, Origin } from '../model/entry.ts'
import type { Kind } from '../model/kinds.ts'
import type { PromptPart } from '../prompt/part.ts'
import type { Found, WhyNot } from '../recall/found.ts'

/** Of every answer that is not 2xx. */
export interface Failure {
  readonly error: {
    /** One of the library's codes, or UNAUTHORIZED, FORBIDDEN, INTERNAL. */
    readonly code: string
    readonly message: string
    readonly hint?: string
    /** On a CONFLICT about an entry: as it is now; missing where it is gone. */
    readonly current?: Entry
    /** On a CONFLICT about an undo: the later changes that build on it. */
    readonly later?: readonly number[]
  }
}

export type KindCounts = Partial<Readonly<Record<Kind, number>>>

/** GET /workspace */
export interface Workspace {
  readonly version: string
  readonly id: string
  /** The folder, file or server. */
  readonly root: string
  readonly store: 'filesystem' | 'file' | 'postgres' | 'chroma' | 'memory'
  readonly zone: string
  /** Changes with every change of the memory, by any agent or by an external edit. */
  readonly revision: string
  /** The agent that is meant where none is named. */
  readonly agent: string
  readonly world: KindCounts
  /** By id; always with `agent`, though it may have nothing yet. */
  readonly agents: readonly { readonly agent: string; readonly kinds: KindCounts }[]
  /** Missing: agents are given no tools here. */
  readonly mcpUrl?: string
  /** Programs must show the token that the server was started with, at /mcp too. */
  readonly needsToken: boolean
  /** It is the sample that `npm start` makes, and may be removed with one click. */
  readonly isSample: boolean
  /** Whether the identity may be written. */
  readonly soulEditable: boolean
}

/** An entry in a list: its head, and how its text begins. */
export interface EntryRow extends EntryHead {
  readonly excerpt: string
}

/** GET /entries */
export interface EntryList {
  readonly entries: readonly EntryRow[]
  /** Of all that the filters let through. */
  readonly total: number
  readonly warnings: readonly string[]
}

/** GET /entries/{id} */
export interface OneEntry {
  readonly entry: Entry
}

/** POST /entries, PATCH /entries/{id}, DELETE /entries/{id}, POST /entries/{id}/aliases */
export interface WrittenEntry {
  /** As it is now; a removed one as it was. */
  readonly entry: Entry
  /** To undo it by; missing where nothing was to be done. */
  readonly change?: number
  readonly warnings: readonly string[]
}

/** POST /entries */
export interface NewEntry {
  readonly kind: Kind
  readonly content: string
  readonly name?: string
  readonly key?: string
  readonly description?: string
  readonly aliases?: readonly string[]
  readonly metadata?: Entry['metadata']
  readonly ttl?: string
}

/** PATCH /entries/{id} */
export interface EntryPatch {
  readonly content?: string
  readonly description?: string
  readonly metadata?: Entry['metadata']
  /** `null`: never. */
  readonly expiresAt?: string | null
  /** Another one renames it; the old one stays an alias. */
  readonly name?: string
  /** The revision that was read: where it is another one by now, nothing is written, and the answer is 409 with the entry as it is. */
  readonly expect?: string
}

/** POST /entries/{id}/aliases */
export interface AliasRequest {
  readonly alias: string
  readonly mode?: 'bind' | 'take' | 'drop'
}

/** GET /search */
export type SearchAnswer = Found

/** GET /why-not */
export type WhyNotAnswer = WhyNot

export type TimelineItem =
  | {
      readonly type: 'entry'
      readonly at: string
      readonly day: string
      readonly time: string
      readonly entry: EntryRow
    }
  | {
      readonly type: 'session'
      /** When it was last spoken in. */
      readonly at: string
      readonly day: string
      readonly time: string
      readonly session: SessionRow
    }

/** GET /timeline: newest first */
export interface Timeline {
  readonly items: readonly TimelineItem[]
  /** Give this as `before` to read on; missing: that is all. */
  readonly next?: string
  /** How many items each day has that has any, oldest first, within the last `span` days: for the axis. */
  readonly days: readonly { readonly day: string; readonly entries: number; readonly sessions: number }[]
}

export interface SessionRow {
  readonly key: string
  readonly createdAt: string | null
  readonly lastAt: string | null
  /** Since the marker. */
  readonly turns: number
  readonly problem?: string
}

/** GET /sessions: newest first */
export interface SessionList {
  readonly sessions: readonly SessionRow[]
}

export interface TurnView {
  readonly id: string
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly content: string
  readonly at: string
  readonly tools: readonly string[]
  /** A model is given it as it stands. */
  readonly inWindow: boolean
}

export interface MarkerView {
  readonly id: string
  readonly at: string
  readonly reason: 'compact' | 'trim' | 'new'
  /** The id of the last turn that it covers. */
  readonly through: string
  readonly turns: number
  readonly archiveId?: string
  readonly archiveName?: string
  /** It was taken back. */
  readonly unmarked: boolean
}

/** GET /sessions/{key} */
export interface OneSession {
  readonly key: string
  readonly createdAt: string | null
  /** Oldest first; the last ones of a long session. */
  readonly turns: readonly TurnView[]
  /** Turns before these. */
  readonly earlier: number
  readonly markers: readonly MarkerView[]
  /** What stands for what was said before the last marker. */
  readonly archive?: { readonly id: string; readonly name: string; readonly content: string }
  /** Lines that can't be read. */
  readonly broken: number
}

export interface TouchedView {
  readonly id: string
  readonly what: 'added' | 'removed' | 'changed'
  readonly kind: Kind
  readonly scope: string
  /** What people call it: its name, its key, or how it begins. */
  readonly label: string
  /** Of its text; empty where that did not change. A long one is cut: `isCut`. */
  readonly hunks: readonly Hunk[]
  readonly isCut: boolean
  /** Everything but its text. */
  readonly fields: readonly { readonly field: string; readonly before: string; readonly after: string }[]
}

export interface ChangeView {
  readonly number: number
  readonly at: string
  readonly day: string
  readonly time: string
  readonly origin: Origin
  readonly touched: readonly TouchedView[]
  /** More were touched than are told. */
  readonly omitted: number
  readonly undoneBy?: number
  readonly reverts?: readonly number[]
  /** Nobody did this: it was there when the log began. */
  readonly found: boolean
  /** It is a purge: it can't be undone, and nothing that it removed is shown. */
  readonly isPurge: boolean
  /** It touched what belongs to another agent too, and so can't be undone from here. */
  readonly isPartial: boolean
}

/** GET /changes: newest first */
export interface ChangeList {
  readonly changes: readonly ChangeView[]
  /** Give this as `before` to read on; missing: that is all. */
  readonly next?: number
  readonly warnings: readonly string[]
}

/** POST /undo: with `changes`, these; with `session`, all of that session; with neither, the newest that is not undone. */
export interface UndoBody {
  readonly changes?: readonly number[]
  readonly session?: string
  readonly withLater?: boolean
}

export interface UndoAnswer {
  /** The number of the change that this made; undo that one to bring it all back. */
  readonly change?: number
  readonly undone: readonly number[]
  readonly entries: readonly string[]
  readonly warnings: readonly string[]
}

/** POST /context: reads only; a message may be too long for an address. */
export interface ContextAnswer {
  readonly parts: readonly PromptPart[]
  readonly tokens: number
  readonly warnings: readonly string[]
}

export interface GrowthSeries {
  /** A kind, or an agent (`world` is one too). */
  readonly label: string
  /** How many there were at the end of each day. */
  readonly totals: readonly number[]
}

/** GET /overview: of the whole workspace, but `sessions`, `memory`, `expiring`, `unrecalled` and `embeddings`, which are the agent's. */
export interface Overview {
  readonly entries: number
  readonly sessions: number
  readonly growth: {
    readonly days: readonly string[]
    readonly byKind: readonly GrowthSeries[]
    readonly byAgent: readonly GrowthSeries[]
  }
  readonly memory: { readonly bytes: number; readonly limit: number; readonly tokens: number }
  /** What ends next, the first to end first. */
  readonly expiring: readonly EntryRow[]
  /** What no agent was ever given by a recall since that is counted. */
  readonly unrecalled: {
    /** Missing: nothing was counted yet. */
    readonly since?: string
    readonly total: number
    readonly entries: readonly EntryRow[]
  }
  readonly embeddings: {
    /** Missing: there is no model, and search goes by words. */
    readonly model?: string
    readonly loaded: boolean
    readonly entries: number
    readonly pending: number
    readonly refused: number
    readonly problem?: string
  }
  readonly warnings: readonly string[]
}

export interface Finding {
  readonly code: string
  readonly severity: 'damage' | 'warning' | 'note'
  readonly message: string
  readonly hint: string
  readonly path?: string
}

/** GET /doctor: looks at every file, so it may take a while */
export interface DoctorAnswer {
  readonly findings: readonly Finding[]
  /** How many files or records were looked at. */
  readonly checked: number
  /** Why this memory can't be looked at; then there are no findings. */
  readonly unsupported?: string
}

/** GET /map: entries by meaning, in the plane; -1 to 1 on both axes */
export interface MapAnswer {
  readonly points: readonly {
    readonly id: string
    readonly x: number
    readonly y: number
    readonly kind: Kind
    readonly scope: string
    readonly label: string
  }[]
  /** Entries that have no vector yet, or were left out for their number. */
  readonly missing: number
  /** Why there is no map. */
  readonly unsupported?: string
}

/** GET /events: the first server-sent event, `event: ready`. Every change after it is reported. */
export interface ReadyEvent {
  /** The current revision of GET /workspace. Missing while the memory can't be read. */
  readonly revision?: string
}

/** GET /events: server-sent events; `event: change`, once for each change, also by other processes and external edits */
export interface ChangeEvent {
  /** What came or changed. */
  readonly ids: readonly string[]
  readonly gone: readonly string[]
  /** Whose they are: ids of agents, or `world`. */
  readonly scopes: readonly string[]
}

/** POST /open: the secret of the link, once; the answer sets the cookie. The key goes into the header `Keepsake-Key` of every request. */
export interface OpenAnswer {
  readonly key: string
}
