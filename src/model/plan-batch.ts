/**
 * Plans a batch on a state that is not in memory. The rules are synchronous: anything not loaded counts as missing and is loaded
 * afterwards. If any of it exists, the batch is planned again.
 */
import { type ApplyContext, applyBatch, namedEntries } from './apply.ts'
import { Draft, type StateView } from './draft.ts'
import type { Entry, Scope } from './entry.ts'
import type { Batch, Expect, Operation, Step } from './operation.ts'
import { SeqCounter } from './seq.ts'

/** What planning needs: these entries, and the owners of these handles and seqs. */
export interface LookupRequest {
  readonly ids: Set<string>
  readonly handles: Map<Scope, Set<string>>
  readonly seqs: Set<number>
}

/** Contains only what exists. */
export interface LookupResult {
  readonly entries: readonly Entry[]
  readonly owners: readonly (readonly [scope: Scope, handle: string, id: string])[]
  readonly seqs: readonly (readonly [seq: number, id: string])[]
}

export interface PlanContext extends Omit<ApplyContext, 'seqs'> {
  readonly nextSeq: number
}

export interface Plan {
  readonly steps: readonly Step[]
  /** The entries that the batch names, as they were before it. */
  readonly named: readonly Entry[]
}

/** `planContext` may be a promise: it then loads in parallel with the first entries, which saves a round trip. */
export async function planBatch(
  load: (wanted: LookupRequest) => Promise<LookupResult>,
  batch: Batch,
  expect: Expect | undefined,
  planContext: PlanContext | Promise<PlanContext>,
): Promise<Plan> {
  const view = new LoadedView()
  for (const operation of batch.operations) view.wantNamed(operation)
  for (const id of Object.keys(expect ?? {})) view.wanted.ids.add(id)
  const [{ nextSeq, newId, ...context }] = await Promise.all([planContext, view.load(load)])
  const ids: string[] = []
  for (;;) {
    let count = 0
    const nextId = (): string => {
      ids[count] ??= view.newId(newId())
      return ids[count++] ?? ''
    }
    const planning = { ...context, newId: nextId, seqs: view.seqs(nextSeq) }
    const outcome = attempt(() => applyBatch(new Draft(view), batch, planning, expect))
    if (await view.load(load)) continue
    if ('error' in outcome) throw outcome.error
    return { steps: outcome.steps, named: namedEntries(batch, view) }
  }
}

function attempt(run: () => readonly Step[]): { readonly steps: readonly Step[] } | { readonly error: unknown } {
  try {
    return { steps: run() }
  } catch (error) {
    return { error }
  }
}

function isPlainText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

/** A numbered name: a lookup of "notes (8)" also loads the next ones, because the first free name may be far off. */
const NUMBERED = /^(.*) \((\d+)\)$/s
const MAX_AHEAD = 256

class LoadedView implements StateView {
  readonly wanted: LookupRequest = { ids: new Set(), handles: new Map(), seqs: new Set() }
  readonly #entries = new Map<string, Entry | undefined>()
  readonly #owners = new Map<string, string | undefined>()
  readonly #seqs = new Map<number, string | undefined>()

  /** Adds what an operation names. It is not validated yet: anything but plain text is left to the rules. */
  wantNamed(operation: Operation | undefined): void {
    if (operation?.id !== undefined) this.wanted.ids.add(operation.id)
    if (operation?.op !== 'add') return
    const { scope, name } = operation
    if (isPlainText(scope) && isPlainText(name)) this.#want(scope, name)
  }

  get(id: string): Entry | undefined {
    if (!this.#entries.has(id)) this.wanted.ids.add(id)
    return this.#entries.get(id)
  }

  head(id: string): Entry | undefined {
    return this.get(id)
  }

  owner(scope: Scope, handle: string): string | undefined {
    if (!this.#owners.has(`${scope}\0${handle}`)) this.#want(scope, handle)
    return this.#owners.get(`${scope}\0${handle}`)
  }

  /** A new id needs no lookup. */
  newId(id: string): string {
    this.#entries.set(id, undefined)
    return id
  }

  seqs(next: number): SeqCounter {
    return new SeqCounter(next, (seq) => {
      if (!this.#seqs.has(seq) && seq < next) this.wanted.seqs.add(seq)
      return this.#seqs.get(seq)
    })
  }

  #want(scope: Scope, handle: string): void {
    const wanted = this.wanted.handles.get(scope) ?? new Set()
    this.wanted.handles.set(scope, wanted.add(handle))
    const [, base, digits] = NUMBERED.exec(handle) ?? []
    const number = Number(digits)
    for (let n = number + 1; n <= Math.min(2 * number, number + MAX_AHEAD); n++) wanted.add(`${base} (${n})`)
  }

  /** Returns whether anything was found. */
  async load(load: (wanted: LookupRequest) => Promise<LookupResult>): Promise<boolean> {
    const { ids, handles, seqs } = this.wanted
    if (ids.size + handles.size + seqs.size === 0) return false
    const { entries, owners, seqs: holders } = await load(this.wanted)
    for (const id of ids) this.#entries.set(id, undefined)
    for (const [scope, some] of handles) for (const handle of some) this.#owners.set(`${scope}\0${handle}`, undefined)
    for (const seq of seqs) this.#seqs.set(seq, undefined)
    for (const entry of entries) this.#entries.set(entry.id, entry)
    for (const [scope, handle, id] of owners) this.#owners.set(`${scope}\0${handle}`, id)
    for (const [seq, id] of holders) this.#seqs.set(seq, id)
    for (const some of [ids, handles, seqs]) some.clear()
    return entries.length + owners.length + holders.length > 0
  }
}
