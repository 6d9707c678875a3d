/**
 * Follows what one agent sees, or what all of them see: each step reports what is different since the step before, once.
 * The store's feed says which entries to look at, so that a step costs what changed and not what is there. What hands did
 * can't be known without a stat a file, and is asked for apart. What an agent can't see is in no step.
 */
import { type EntryHead, type Scope, WORLD } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { oneQuestion } from '../model/one-question.ts'
import type { AddOperation, Change, Operation } from '../model/operation.ts'
import { revisionOf } from '../model/revision.ts'
import { instant } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { ChangeFeed, Cursor, ScanFilter, Store } from '../ports/store.ts'

/** A memory as one agent has it, or without `agent` the entries of every agent. */
export interface Followed {
  readonly store: Store
  readonly clock: Clock
  readonly agent?: string
}

/** What is told of an entry, and by what it is known to have changed. */
export type Seen = Pick<EntryHead, 'id' | 'scope' | 'kind' | 'name' | 'aliases' | 'revision' | 'expiresAt'>

/** How one entry differs. `was` is missing where it came, `is` where it went. */
export interface SeenChange {
  readonly was?: Seen
  readonly is?: Seen
}

/** `undefined` where the agent sees none. */
type Sight = ReadonlyMap<string, Seen | undefined>

/** More than these are read together, with a look at the folder, rather than one by one. */
const FEW = 8

export class EntryChanges {
  /** What could not be read at the last scan for external edits. */
  problems: readonly string[] = []
  readonly #store: Store
  readonly #clock: Clock
  readonly #scopes: readonly Scope[] | undefined
  readonly #known = new Map<string, Seen>()
  #cursor: Cursor | undefined
  /** To be read again when hands are next asked for: what they did and took back again is in no feed. */
  #unsettled: ReadonlySet<string> = new Set()

  constructor({ store, clock, agent }: Followed) {
    this.#store = store
    this.#clock = clock
    this.#scopes = agent === undefined ? undefined : [WORLD, agent]
  }

  /** What differs by now; with `hands` also by what they did. The first step compares with nothing. One that fails changes nothing. */
  async step(hands: boolean): Promise<readonly SeenChange[]> {
    const isFirst = this.#cursor === undefined
    const asksForHands = hands || isFirst
    const options = asksForHands ? { edits: this.#scopes ?? ('all' as const) } : {}
    const feed = await this.#store.feed(this.#cursor ?? 'now', options)
    if (feed.restarted && !hands) return this.step(true)
    const { sight, readAlone } = isFirst || feed.restarted ? await this.#all() : await this.#touched(feed, hands)
    const differing = [...sight].filter(([id, seen]) => isOther(this.#known.get(id), seen))
    const changes = differing.map(([id, seen]) => changeOf(this.#known.get(id), seen))

    for (const [id, seen] of differing) {
      if (seen) this.#known.set(id, seen)
      else this.#known.delete(id)
    }
    const pending = asksForHands ? feed.edits.map(({ id }) => id) : this.#unsettled
    this.#unsettled = new Set([...pending, ...differing.flatMap(([id]) => (readAlone.has(id) ? id : []))])
    if (asksForHands) this.problems = feed.problems.map(({ path, problem }) => `${path}: ${problem}`)
    this.#cursor = feed.cursor
    return changes
  }

  async #all(): Promise<{ readonly sight: Sight; readonly readAlone: ReadonlySet<string> }> {
    return { sight: new Map([...gone(this.#known.keys()), ...(await this.#heads({}))]), readAlone: new Set() }
  }

  async #touched(
    { changes, edits }: ChangeFeed,
    hands: boolean,
  ): Promise<{ readonly sight: Sight; readonly readAlone: ReadonlySet<string> }> {
    const last = lastOperations(changes)
    const journaled = [...last].flatMap(([id, operation]) => {
      if (operation?.op === 'remove') return [[id, undefined] as const]
      return operation?.op === 'add' ? [[id, this.#visible(addedBy(id, operation))] as const] : []
    })
    const edited = edits.map(({ id, after }) => [id, after && this.#visible(after)] as const)
    const told = new Map<string, Seen | undefined>([...journaled, ...edited])
    const asked = [...last.keys(), ...(hands ? this.#unsettled : [])]
    const readAlone = new Set(asked.filter((id) => !told.has(id)))
    const expired = hands ? this.#expired() : []
    return { sight: new Map([...expired, ...told, ...(await this.#read(readAlone))]), readAlone }
  }

  #expired(): Sight {
    const now = instant(this.#clock())
    return gone([...this.#known.values()].filter((seen) => isExpired(seen, now)).map(({ id }) => id))
  }

  async #read(ids: ReadonlySet<string>): Promise<Sight> {
    if (ids.size > FEW) return new Map([...gone(ids), ...(await this.#heads({ ids }))])
    const sight = new Map<string, Seen | undefined>()
    const call = oneQuestion({})
    for (const id of ids) {
      const entry = await this.#store.get(id, call)
      sight.set(id, entry && this.#visible(entry))
    }
    return sight
  }

  async #heads(filter: ScanFilter): Promise<Sight> {
    const heads = await this.#store.heads({ ...filter, ...(this.#scopes ? { scopes: this.#scopes } : {}) })
    return new Map(heads.map((head) => [head.id, this.#visible(head)]))
  }

  #visible(head: Seen): Seen | undefined {
    const isVisible = this.#scopes?.includes(head.scope) ?? true
    return isVisible && !isExpired(head, instant(this.#clock())) ? seenOf(head) : undefined
  }
}

function seenOf({ id, scope, kind, name, aliases, revision, expiresAt }: Seen): Seen {
  return { id, scope, kind, name, aliases, revision, expiresAt }
}

function gone(ids: Iterable<string>): Sight {
  return new Map([...ids].map((id) => [id, undefined]))
}

/** By entry; `undefined` after several, of which only the store can say what they come to. */
function lastOperations(changes: readonly Change[]): ReadonlyMap<string, Operation | undefined> {
  const last = new Map<string, Operation | undefined>()
  for (const operation of changes.flatMap(({ operations }) => operations)) {
    const { id = '' } = operation
    last.set(id, last.has(id) && operation.op !== 'remove' ? undefined : operation)
  }
  return last
}

/** An addition tells all that an entry is, so that a log need not be read for each of its lines. */
function addedBy(id: string, operation: AddOperation): Seen {
  const {
    scope,
    kind,
    name = null,
    aliases = [],
    description = '',
    content,
    metadata = {},
    expiresAt = null,
  } = operation
  const revision = revisionOf({ name, aliases, description, content, metadata, expiresAt })
  return { id, scope, kind, name, aliases, revision, expiresAt }
}

function isOther(was: Seen | undefined, is: Seen | undefined): boolean {
  return was?.revision !== is?.revision || was?.name !== is?.name || was?.scope !== is?.scope
}

function changeOf(was: Seen | undefined, is: Seen | undefined): SeenChange {
  return { ...(was ? { was } : {}), ...(is ? { is } : {}) }
}
