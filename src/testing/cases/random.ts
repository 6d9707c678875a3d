/** Random writes against the store in RAM: the same answers, the same refusals, the same memory at the end. */
import { isKeepsakeError } from '../../errors.ts'
import type { Entry } from '../../model/entry.ts'
import type { Operation } from '../../model/operation.ts'
import type { Applied, Store } from '../../ports/store.ts'
import { memoryStore } from '../../stores/memory.ts'
import { equal } from '../assert.ts'
import type { Rule, Trial } from '../harness.ts'
import { type RandomBatch, randomOperations } from '../random-operations.ts'
import { scanned, withoutPath } from '../requests.ts'
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
    const asked = turn.value
    const what = `seed ${seed}, batch ${n}, ${JSON.stringify(asked)}`
    trial.pass(n % 7 === 0 ? 7_200_000 : 1500)
    const answer = await attempt(trial.store, asked)
    equal(view(answer), view(await attempt(oracle, asApplied(asked, answer))), what)
    if (restartEvery !== undefined && n % restartEvery === 0) await trial.reopen()
    if (n % 25 === 0 || n === batches) await sameState(trial.store, oracle, what)
    turn = source.next(typeof answer === 'string' ? undefined : answer.entries)
  }
}

async function sameState(store: Store, oracle: Store, what: string): Promise<void> {
  const expected = await scanned(oracle)
  const found = stateDifference(await scanned(store), expected)
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

/** What came of it: the result, or the code of the refusal. */
async function attempt(store: Store, { batch, expect }: RandomBatch): Promise<Applied | string> {
  try {
    return await store.apply(batch, expect === undefined ? {} : { expect })
  } catch (error) {
    if (isKeepsakeError(error)) return error.code
    throw error
  }
}

/** A store is free in which ids and seqs it gives: the oracle is told them, and must agree with all the rest. */
function asApplied(asked: RandomBatch, answer: Applied | string): RandomBatch {
  if (typeof answer === 'string') return asked
  const adds = (answer.change?.operations ?? []).filter((operation) => operation.op === 'add')
  let next = 0
  const operations = asked.batch.operations.map((operation): Operation => {
    if (operation.op !== 'add') return operation
    const { id, seq } = adds[next++] ?? {}
    return { ...operation, ...(id === undefined ? {} : { id }), ...(seq === undefined ? {} : { seq }) }
  })
  return { ...asked, batch: { ...asked.batch, operations } }
}

function view(answer: Applied | string): unknown {
  if (typeof answer === 'string') return answer
  const { entries, change } = answer
  return {
    entries: entries.map((entry): Entry => withoutPath(entry)),
    change: change && { at: change.at, origin: change.origin, operations: change.operations },
  }
}
