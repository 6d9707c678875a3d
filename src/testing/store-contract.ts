/**
 * The contract of the store port as cases for any test runner: `for (const c of storeContract(harness)) it(c.name, c.run)`.
 * What these cases do not say, no caller may rely on. Deliberately absent: hand edits, crashes and several processes,
 * which are the business of the stores that have them.
 */
import { requireOptions } from '../model/options.ts'
import { changeRules } from './cases/changes.ts'
import { expectRules } from './cases/expect.ts'
import { historyRules } from './cases/history.ts'
import { lackRules } from './cases/lacks.ts'
import { movingRules } from './cases/moving.ts'
import { nameRules } from './cases/names.ts'
import { pastRules } from './cases/past.ts'
import { purgingRules } from './cases/purging.ts'
import { randomRules } from './cases/random.ts'
import { readingRules } from './cases/reading.ts'
import { refusalRules } from './cases/refusals.ts'
import { reopenRules } from './cases/reopen.ts'
import { sessionPlaceRules } from './cases/session-places.ts'
import { sessionRules } from './cases/sessions.ts'
import { upkeepRules } from './cases/upkeep.ts'
import { writingRules } from './cases/writing.ts'
import { type ContractCase, contractCase, type StoreHarness } from './harness.ts'

export interface ContractOptions {
  /** Each seed is one more random conversation with the store. */
  readonly seeds?: readonly number[]
  /** How long such a conversation is. */
  readonly batches?: number
}

export function storeContract(harness: StoreHarness, options: ContractOptions = {}): readonly ContractCase[] {
  requireOptions(options, 'storeContract', { seeds: true, batches: true })
  const { seeds = [1, 2, 3], batches = 150 } = options
  return [
    ...readingRules,
    ...writingRules,
    ...refusalRules,
    ...lackRules,
    ...nameRules,
    ...expectRules,
    ...changeRules,
    ...pastRules,
    ...historyRules(seeds.slice(0, 1), Math.min(batches, 60)),
    ...sessionRules,
    ...sessionPlaceRules,
    ...purgingRules,
    ...upkeepRules,
    ...reopenRules,
    ...(harness.movable === undefined ? [] : movingRules(seeds.slice(0, 1), Math.min(batches, 60))),
    ...randomRules(seeds, batches),
  ]
    .filter(({ lacks }) => lacks === undefined || harness.capabilities[lacks] !== true)
    .map((rule) => contractCase(harness, rule))
}
