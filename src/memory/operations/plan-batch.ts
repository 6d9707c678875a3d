/**
 * A batch tried on what an agent sees, with nothing written: names become ids, and what can't be done is told with the place of
 * the operation that asked for it. The rules are the model's own, so a plan and the store agree.
 */
import { ConflictError, isKeepsakeError, NotFoundError } from '../../errors.ts'
import { type ApplyContext, applyBatch } from '../../model/apply.ts'
import { Draft } from '../../model/draft.ts'
import { type Entry, type EntryHead, type Origin, WORLD } from '../../model/entry.ts'
import { isExpired } from '../../model/expiry.ts'
import { findByRef } from '../../model/find.ts'
import { isId, newId } from '../../model/id.ts'
import type { Kind } from '../../model/kinds.ts'
import { normalizeName } from '../../model/name.ts'
import { oneQuestion } from '../../model/one-question.ts'
import type { Expect, Operation, Step } from '../../model/operation.ts'
import { instant } from '../../model/time.ts'
import type { CallOptions } from '../../ports/store.ts'
import type { View } from '../view.ts'
import { atOperation } from './at-operation.ts'
import type { AddInput, OperationInput, TargetedInput } from './operation-input.ts'
import { PlannedState } from './planned-state.ts'

export interface BatchInput {
  readonly operations: readonly OperationInput[]
  /** By id, name or alias. */
  readonly expect: Expect
  readonly origin: Origin
  readonly reverts?: readonly number[]
}

export interface Plan {
  /** As they are to be applied, entries named by their ids. */
  readonly operations: readonly Operation[]
  readonly expect: Expect
  readonly steps: readonly Step[]
}

/** Whether an agent may touch entries of these kinds. */
type Gate = (kinds: Iterable<Kind | undefined>) => void

export async function planBatch(view: View, batch: BatchInput, gate: Gate, asked: CallOptions): Promise<Plan> {
  const call = oneQuestion(asked)
  const heads = await view.store.heads({ scopes: view.scopes }, call)
  const { timezone: zone } = await view.store.settings()
  return new Planning({ view, batch, gate, call, heads, zone }).plan()
}

interface Given {
  readonly view: View
  readonly batch: BatchInput
  readonly gate: Gate
  readonly call: CallOptions
  readonly heads: readonly EntryHead[]
  readonly zone: string
}

class Planning {
  readonly #given: Given
  readonly #state: PlannedState
  readonly #draft: Draft
  readonly #context: ApplyContext
  /** What the batch adds: by id, the place of the operation. */
  readonly #added = new Map<string, number>()
  /** Those of them that a later operation calls by name: they must have their id before they are written. */
  readonly #called = new Map<number, string>()

  constructor(given: Given) {
    this.#given = given
    this.#state = new PlannedState(given.heads)
    this.#draft = new Draft(this.#state)
    const { view, zone } = given
    const ms = view.clock()
    this.#context = { now: instant(ms), zone, newId: () => newId(ms), seqs: this.#state.seqs() }
  }

  async plan(): Promise<Plan> {
    const { operations: inputs } = this.#given.batch
    const expect = this.#expectById()
    this.#apply([], expect)
    for (const input of inputs) if (input.op === 'add') this.#context.seqs.reserve(input.seq)
    const operations: Operation[] = []
    const steps: Step[] = []
    for (const [index, input] of inputs.entries()) {
      try {
        const operation = input.op === 'add' ? this.#addition(input) : this.#byId(input)
        await this.#loadTexts(operation)
        operations.push(operation)
        steps.push(...(await this.#step(operation, index)))
      } catch (error) {
        throw atOperation(error, index, inputs.length)
      }
    }
    return { operations: operations.map((operation, index) => this.#withId(operation, index)), expect, steps }
  }

  #apply(operations: readonly Operation[], expect: Expect = {}): Step[] {
    const { origin, reverts } = this.#given.batch
    const batch = { operations, origin, ...(reverts === undefined ? {} : { reverts }) }
    return applyBatch(this.#draft, batch, this.#context, expect)
  }

  async #step(operation: Operation, index: number): Promise<Step[]> {
    const room: Step[] = []
    for (;;) {
      try {
        const steps = this.#apply([operation])
        for (const { before, after } of steps) if (after && !before) this.#added.set(after.id, index)
        return [...room, ...steps]
      } catch (error) {
        // What nobody can see any more makes room, as it does when the batch is written.
        const owner = isKeepsakeError(error) && error.code === 'NAME_TAKEN' ? String(error.data['owner']) : ''
        const held = this.#draft.head(owner)
        if (!held || !isExpired(held, this.#context.now)) throw error
        await this.#load(owner)
        room.push(...this.#apply([{ op: 'remove', id: owner }]))
      }
    }
  }

  #addition(input: AddInput): Operation {
    this.#given.gate([input.kind])
    return { ...input, scope: input.scope ?? this.#given.view.agent }
  }

  #byId({ ref, id, ...rest }: TargetedInput): Operation {
    const target = id ?? this.#idCalled(ref ?? '')
    const head = this.#draft.head(target)
    if (!head) throw new NotFoundError(target)
    this.#given.gate([head.kind])
    return { ...rest, id: target } as Operation // the union of the same operations without their targets, and the target
  }

  #idCalled(ref: string): string {
    const id = this.#find(ref)
    if (id === undefined) {
      const visible = this.#given.heads.filter((head) => !isExpired(head, this.#context.now))
      throw new NotFoundError(ref, findByRef(ref, visible, this.#given.view.agent).near)
    }
    const added = this.#added.get(id)
    if (added !== undefined) this.#called.set(added, id)
    return id
  }

  /** By id, name or alias, as the batch has left it so far; an agent's own name shadows the world's. */
  #find(ref: string): string | undefined {
    if (isId(ref)) return this.#visible(ref)
    const name = normalizeName(ref, 'ref')
    return (
      this.#visible(this.#draft.owner(this.#given.view.agent, name)) ?? this.#visible(this.#draft.owner(WORLD, name))
    )
  }

  #visible(id: string | undefined): string | undefined {
    const head = id === undefined ? undefined : this.#draft.head(id)
    return head && !isExpired(head, this.#context.now) ? head.id : undefined
  }

  #expectById(): Expect {
    const byId: [string, string | null][] = []
    for (const [ref, revision] of Object.entries(this.#given.batch.expect)) {
      const id = isId(ref) ? ref : this.#find(ref)
      if (id !== undefined) byId.push([id, revision])
      else if (revision !== null) throw new ConflictError(ref, revision, null)
    }
    return Object.fromEntries(byId)
  }

  /** A revision is made of the text too: of the entry that is meant, and of one that loses an alias to it. */
  async #loadTexts(operation: Operation): Promise<void> {
    if (operation.op === 'add') return
    await this.#load(operation.id)
    const scope = this.#draft.head(operation.id)?.scope
    if (operation.op !== 'alias' || scope === undefined || typeof operation.alias !== 'string') return
    const owner = this.#draft.owner(scope, operation.alias.normalize('NFC').trim())
    if (owner !== undefined) await this.#load(owner)
  }

  async #load(id: string): Promise<void> {
    if (this.#state.hasText(id) || !this.#state.head(id)) return
    const entry: Entry | undefined = await this.#given.view.store.get(id, this.#given.call)
    if (!entry) throw new NotFoundError(id)
    this.#state.put(entry)
  }

  #withId(operation: Operation, index: number): Operation {
    const id = this.#called.get(index)
    return operation.op === 'add' && id !== undefined ? { ...operation, id } : operation
  }
}
