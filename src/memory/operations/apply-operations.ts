/**
 * Any batch of operations as one agent may give it: the five at their full width, all or nothing. Names are looked up here; what
 * the store refuses is told with the place of the operation. A batch by ids goes straight to the store.
 */
import { InvalidError, isKeepsakeError, NotFoundError } from '../../errors.ts'
import type { Entry, Origin } from '../../model/entry.ts'
import { isId } from '../../model/id.ts'
import type { Kind } from '../../model/kinds.ts'
import { oneQuestion } from '../../model/one-question.ts'
import type { Change, Expect, Operation, Step } from '../../model/operation.ts'
import type { CallOptions } from '../../ports/store.ts'
import type { View } from '../view.ts'
import type { Writing } from '../writing.ts'
import { atOperation } from './at-operation.ts'
import { checkedInput, type OperationInput } from './operation-input.ts'
import { type BatchInput, type Plan, planBatch } from './plan-batch.ts'

export interface BatchOptions extends CallOptions {
  /** By id, name or alias: the revision that was read, or `null` for "must not exist". */
  readonly expect?: Expect
  /** Left out: the agent; or `import`, where an `add` brings its seq, times or origin along. */
  readonly origin?: Origin
  readonly reverts?: readonly number[]
  /** Only tell what would be done. */
  readonly dryRun?: boolean
}

export interface AppliedOperations {
  /** Missing when all was so already, and of a dry run. */
  readonly change?: Change
  /** What was done, or would be; ids and names filled in. */
  readonly operations: readonly Operation[]
  /** Those it touched, as they are now, each once; removed ones as they were. New ones of a dry run will get other ids and seqs. */
  readonly entries: readonly Entry[]
  readonly warnings: readonly string[]
}

export interface Applier {
  readonly view: View
  readonly writing: Writing
  readonly gate: (kinds: Iterable<Kind | undefined>) => void
}

/** Others may rename between the look and the write; more often is not chance. */
const MOST_TRIES = 3

export async function applyOperations(
  applier: Applier,
  given: readonly OperationInput[],
  options: BatchOptions,
): Promise<AppliedOperations> {
  const { view, writing, gate } = applier
  const { signal, dryRun = false, reverts } = options
  const call = signal ? { signal } : {}
  const undoing = reverts === undefined ? {} : { reverts }
  const operations = given.map((input, index) => at(index, given, () => checkedInput(input, view.agent)))
  const batch: BatchInput = {
    operations,
    expect: checkedExpect(options.expect),
    origin: options.origin ?? originOf(operations, writing.origin({})),
    ...undoing,
  }
  if (dryRun) return planned(await planBatch(view, batch, gate, call))
  const byIds = namedByIds(batch)
  if (byIds) await refuseForbidden(applier, byIds, call)
  for (let tries = 1; ; tries++) {
    const plan = byIds ? { operations: byIds, expect: batch.expect } : await planBatch(view, batch, gate, call)
    try {
      const { change, ...applied } = await writing.apply(
        plan.operations,
        { origin: batch.origin, ...undoing, ...call },
        plan.expect,
      )
      return { ...applied, operations: change?.operations ?? [], ...(change ? { change } : {}) }
    } catch (error) {
      await tellPlace(error, () => planBatch(view, batch, gate, call))
      if (byIds || !isRace(error) || tries === MOST_TRIES) throw error
    }
  }
}

/** Where a plan fails for the same reason, it knows which operation that is. */
async function tellPlace(error: unknown, plan: () => Promise<Plan>): Promise<void> {
  if (!isKeepsakeError(error) || !['INVALID', 'NOT_FOUND', 'NAME_TAKEN', 'CONFLICT'].includes(error.code)) return
  try {
    await plan()
  } catch (told) {
    if (isKeepsakeError(told) && told.code === error.code) throw told
  }
}

function isRace(error: unknown): boolean {
  return isKeepsakeError(error) && ['CONFLICT', 'NAME_TAKEN', 'NOT_FOUND'].includes(error.code)
}

/** The batch as the store takes it; `undefined` where a name must be looked up first. */
function namedByIds({ operations, expect }: BatchInput): readonly Operation[] | undefined {
  const named = operations.every((operation) => operation.op === 'add' || operation.ref === undefined)
  // The check of each operation has given it what its type says: a scope, or an id.
  return named && Object.keys(expect).every(isId) ? (operations as readonly Operation[]) : undefined
}

async function refuseForbidden(
  { view, gate }: Applier,
  operations: readonly Operation[],
  asked: CallOptions,
): Promise<void> {
  const call = oneQuestion(asked)
  for (const [index, operation] of operations.entries()) {
    const touched = operation.op === 'add' ? operation : await view.store.get(operation.id, call)
    at(index, operations, () => {
      if (touched && !view.scopes.includes(touched.scope)) throw new NotFoundError(touched.id ?? touched.scope)
      gate([touched?.kind])
    })
  }
}

/** What only another memory can know makes it an import. */
function originOf(operations: readonly OperationInput[], own: Origin): Origin {
  const brings = operations.some(
    (input) => input.op === 'add' && (input.seq ?? input.createdAt ?? input.updatedAt ?? input.origin) !== undefined,
  )
  return brings ? { ...own, by: 'import' } : own
}

function checkedExpect(expect: unknown): Expect {
  if (expect === undefined) return {}
  const isMap = typeof expect === 'object' && expect !== null && !Array.isArray(expect)
  if (isMap && Object.values(expect).every((value) => value === null || typeof value === 'string')) {
    return expect as Expect // each value was looked at
  }
  throw new InvalidError('expect', `${JSON.stringify(expect)} is no map`, 'ids or names, each with a revision or null')
}

function planned({ steps }: Plan): AppliedOperations {
  return { operations: steps.map(({ operation }) => operation), entries: touchedBy(steps), warnings: [] }
}

function touchedBy(steps: readonly Step[]): Entry[] {
  const entries = new Map<string, Entry>()
  for (const { before, after } of steps) {
    const entry = after ?? before
    if (entry) entries.set(entry.id, entry)
  }
  return [...entries.values()]
}

function at<T>(index: number, { length }: readonly unknown[], run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw atOperation(error, index, length)
  }
}
