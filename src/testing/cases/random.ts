/** Random writes against the store in RAM: the same answers, the same refusals, the same memory at the end. */
import { isKeepsakeError } from '../../errors.ts'
import type { Entry } from '../../model/entry.ts'
import type { Operation } from '../../model/operation.ts'
import type { Applied, ChangeQuery, EntryVersion, LoggedChange, Store } from '../../ports/store.ts'
import { memoryStore } from '../../stores/memory.ts'
import { difference, equal } from '../assert.ts'
import type { Rule, Trial } from '../harness.ts'
import { type RandomBatch, randomOperations } from '../random-operations.ts'
import { scanned, undoOf, withoutPath } from '../requests.ts'
import { stateDifference } from '../state-equality.ts'

export function randomRules(seeds: readonly number[], batches: number): readonly Rule[] {
  return seeds.flatMap((seed): Rule[] => [
    {
      name: `answers ${batches} random batches as the store in RAM does (seed ${seed})`,
      needs: 'atomicBatch',
      async run(trial) {
        await sameAnswers(trial, seed, batches)
      },
    },
    {
      name: `holds what ${batches} random batches left, over restarts in between (seed ${seed})`,
      needs: 'durable',
      async run(trial) {
        await sameAnswers(trial, seed, batches, Math.ceil(batches / 5))
      },
    },
  ])
}

async function sameAnswers(trial: Trial, seed: number, batches: number, restartEvery?: number): Promise<void> {
  const settings = await trial.store.settings()
  const oracle = memoryStore({ clock: () => Date.parse(trial.now()), settings })
  const source = randomOperations(seed, batches)
  let turn = source.next()
  for (let n = 1; !turn.done; n++) {
    const asked = dropUnsupported(turn.value, trial.store)
    const what = `seed ${seed}, batch ${n}, ${JSON.stringify(asked)}`
    trial.pass(n % 7 === 0 ? 7_200_000 : 1500)
    const answer = await attempt(trial.store, asked)
    const expected = await attempt(oracle, asApplied(asked, answer, trial.store))
    equal(view(answer, trial.store), view(expected, trial.store), what)
    if (n % 6 === 0) await sameUndo(trial, oracle, what)
    if (restartEvery !== undefined && n % restartEvery === 0) await trial.reopen()
    if (n % 25 === 0 || n === batches) {
      await sameState(trial.store, oracle, what)
      if (trial.harness.capabilities.undo === true) await sameHistory(trial.store, oracle, what)
    }
    turn = source.next(typeof answer === 'string' ? undefined : answer.entries)
  }
}

async function sameState(store: Store, oracle: Store, what: string): Promise<void> {
  const expected = await scanned(oracle)
  const found =
    store.capabilities.lastingSeq === true
      ? stateDifference(await scanned(store), expected)
      : difference((await scanned(store)).map(withoutSeq).sort(byId), expected.map(withoutSeq).sort(byId))
  if (found !== undefined) throw new Error(`after ${what}: ${found}`)
  for (const entry of expected) {
    for (const name of entry.name === null ? [] : [entry.name, ...entry.aliases]) {
      equal((await store.resolve(entry.scope, name))?.id, entry.id, `after ${what}: resolve "${name}"`)
    }
    if (entry.key !== undefined) {
      equal((await store.resolveKey(entry.scope, entry.key))?.id, entry.id, `after ${what}: key "${entry.key}"`)
    }
  }
}

/** Undoes the newest change, and sometimes an undo. */
async function sameUndo(trial: Trial, oracle: Store, what: string): Promise<void> {
  const { store, harness } = trial
  if (harness.capabilities.undo !== true) return
  const [last] = await store.changes({ by: 'undo', undone: false, limit: 1 })
  const request = last && last.change.number % 3 === 0 ? { changes: [last.change.number] } : {}
  const plans = [store, oracle].map((one) => undoOf(one, request, trial.now()).catch(codeOf))
  const [plan, expected] = await Promise.all(plans)
  equal(plan, expected, `after ${what}: undo ${JSON.stringify(request)}`)
  if (plan === undefined || typeof plan === 'string') return
  equal(view(await attempt(store, plan), store), view(await attempt(oracle, plan), store), `after ${what}: undone`)
}

/** Compares the history. An entry that the same change added and removed may be missing. */
async function sameHistory(store: Store, oracle: Store, what: string): Promise<void> {
  const all = await oracle.changes()
  const states = all.flatMap(({ touched }) => touched.flatMap(({ before, after }) => after ?? before ?? []))
  const [newest, middle] = [all[0], all[Math.floor(all.length / 2)]].map((logged) => logged?.change)
  const ids = [...new Set(states.map(({ id }) => id))]
  const queries: readonly ChangeQuery[] = [
    {},
    { undone: true },
    { undone: false, limit: 7 },
    { before: middle?.number ?? 0, by: 'agent' },
    { after: middle?.number ?? 0, session: 's:1' },
    { since: middle?.at ?? '', until: newest?.at ?? '', agent: 'main' },
    { entries: ids.slice(0, 5) },
    { scopes: ['ada'], limit: 9 },
    { scopes: ['world', 'main'], before: newest?.number ?? 0 },
  ]
  for (const query of queries) {
    const [found, expected] = [await store.changes(query), await oracle.changes(query)]
    equal(found.map(logView), expected.map(logView), `after ${what}: changes ${JSON.stringify(query)}`)
  }
  for (const at of [0, middle?.number ?? 0, newest?.number ?? 0, middle?.at ?? '', newest?.at ?? '']) {
    for (const filter of [{}, { scopes: ['ada', 'world'] }]) {
      const [found, expected] = [await store.stateAt(at, filter), await oracle.stateAt(at, filter)]
      const which = `${at} ${JSON.stringify(filter)}`
      equal(found.map(withoutPath), expected.map(withoutPath), `after ${what}: the state at ${which}`)
    }
  }
  equal(
    (await store.versions(ids)).map(versionView),
    (await oracle.versions(ids)).map(versionView),
    `after ${what}: versions`,
  )
  const names = states.slice(0, 10).flatMap(({ name }) => name ?? [])
  for (const filter of [
    {},
    { scopes: ['ada'] },
    { kinds: ['note' as const] },
    ...names.map((called) => ({ called })),
  ]) {
    const [found, expected] = [await store.gone(filter), await oracle.gone(filter)]
    equal(found.map(withoutPath), expected.map(withoutPath), `after ${what}: gone ${JSON.stringify(filter)}`)
  }
}

function logView({ change, undoneBy, touched }: LoggedChange): unknown {
  const { number, at, origin, operations, reverts } = change
  const states = touched.filter(({ before, after }) => before ?? after)
  return {
    change: { number, at, origin, operations, reverts },
    undoneBy,
    touched: states.map(({ id, before, after }) => [id, before && withoutPath(before), after && withoutPath(after)]),
  }
}

function versionView({ id, change, entry }: EntryVersion): unknown {
  return [id, change?.number, entry && withoutPath(entry)]
}

function withoutSeq({ path: _, seq: __, ...entry }: Entry): Omit<Entry, 'path' | 'seq'> {
  return entry
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}

/** What came of it: the result, or the code of the refusal. */
async function attempt(store: Store, { batch, expect }: RandomBatch): Promise<Applied | string> {
  try {
    return await store.apply(batch, expect === undefined ? {} : { expect })
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  if (isKeepsakeError(error)) return error.code
  throw error
}

/** Drops what the store refuses. */
function dropUnsupported({ batch, expect }: RandomBatch, { capabilities }: Store): RandomBatch {
  const operations = batch.operations.map((operation): Operation => {
    if (operation.op !== 'add' || capabilities.lastingSeq === true) return operation
    const { seq: _, ...rest } = operation
    return rest
  })
  const checked = expect === undefined || capabilities.expect !== true ? {} : { expect }
  return { batch: { ...batch, operations }, ...checked }
}

/** A store is free in which ids and seqs it gives: the oracle is told them, and must agree with all the rest. */
function asApplied(asked: RandomBatch, answer: Applied | string, { capabilities }: Store): RandomBatch {
  if (typeof answer === 'string') return asked
  const adds = (answer.change?.operations ?? []).filter((operation) => operation.op === 'add')
  let next = 0
  const operations = asked.batch.operations.map((operation): Operation => {
    if (operation.op !== 'add') return operation
    const { id, seq } = adds[next++] ?? {}
    return {
      ...operation,
      ...(id === undefined ? {} : { id }),
      ...(seq === undefined || capabilities.lastingSeq !== true ? {} : { seq }),
    }
  })
  return { ...asked, batch: { ...asked.batch, operations } }
}

function view(answer: Applied | string, { capabilities }: Store): unknown {
  if (typeof answer === 'string') return answer
  const { entries, change } = answer
  if (capabilities.lastingSeq !== true) {
    return { entries: entries.map(withoutSeq), change: change && { at: change.at, origin: change.origin } }
  }
  return {
    entries: entries.map((entry): Entry => withoutPath(entry)),
    change: change && { at: change.at, origin: change.origin, operations: change.operations },
  }
}
