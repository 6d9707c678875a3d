/** An undo loads only a part of the history. Its plan must be the same as with the whole history. */
import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import { isKeepsakeError } from '../errors.ts'
import type { Entry, Origin, Scope } from '../model/entry.ts'
import type { Operation } from '../model/operation.ts'
import type { Store } from '../ports/store.ts'
import { memoryStore } from '../stores/memory.ts'
import { type Random, seededRandom } from '../testing/random.ts'
import { planUndo, type UndoPlan, type UndoRequest } from './undo.ts'
import { UndoHistory } from './undo-history.ts'

const HISTORIES = isNightly ? 1500 : 60
const REQUESTS = 12
const AGENTS: readonly Scope[] = ['main', 'ada']
const NAMES = ['a', 'b', 'c', 'd', 'e']
const HOUR_MS = 3_600_000

/** A memory in which names change owners, entries expire, and much is undone and redone. */
class RandomMemory {
  readonly #random: Random
  #ms = Date.parse('2026-03-14T09:00:00.000Z')
  readonly store = memoryStore({ clock: () => this.#ms })

  constructor(random: Random) {
    this.#random = random
  }

  get now(): string {
    return new Date(this.#ms).toISOString()
  }

  async step(): Promise<void> {
    this.#ms += this.#random.chance(8) ? HOUR_MS : 1000
    const agent = this.#random.pick(AGENTS)
    try {
      if (this.#random.chance(4)) await this.#undo(agent)
      else if (this.#random.chance(60)) await this.#purge(agent)
      else if (this.#random.chance(10)) await this.#cleanUp(agent)
      else await this.store.apply({ operations: await this.#operations(agent), origin: this.#origin(agent) })
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
    }
  }

  request(numbers: number): UndoRequest {
    const random = this.#random
    const number = (): number => 1 + random.int(numbers + 1)
    return {
      ...(random.chance(3) ? { changes: random.chance(4) ? [number(), number()] : [number()] } : {}),
      ...(random.chance(3) ? { last: 1 + random.int(6) } : {}),
      ...(random.chance(2) ? { withLater: true } : {}),
      ...(random.chance(6) ? { session: random.pick(['s1', 's2']) } : {}),
      ...(random.chance(8) ? { by: random.pick(['agent', 'hand', 'undo', 'consolidation'] as const) } : {}),
      ...(random.chance(8) ? { agent: random.pick(AGENTS) } : {}),
      ...(random.chance(8) ? { since: new Date(this.#ms - random.int(20) * HOUR_MS).toISOString() } : {}),
      ...(random.chance(12) ? { until: new Date(this.#ms - random.int(10) * HOUR_MS).toISOString() } : {}),
    }
  }

  async #operations(agent: Scope): Promise<readonly Operation[]> {
    const entries = await this.#entries(this.#random.chance(15) ? AGENTS : [agent])
    const operations: Operation[] = []
    for (let n = this.#random.chance(3) ? 3 : 1; n > 0; n--) {
      operations.push(this.#operation(agent, entries))
    }
    return operations
  }

  #operation(agent: Scope, entries: readonly Entry[]): Operation {
    const random = this.#random
    const name = random.pick(NAMES)
    if (entries.length < 2 || random.chance(4)) {
      if (random.chance(4)) return { op: 'add', scope: agent, kind: 'context', key: name, content: `${random.int(3)}` }
      if (random.chance(4)) return { op: 'add', scope: 'world', kind: 'topic', name, content: `${random.int(3)}` }
      const aliases = random.chance(3) ? [random.pick(NAMES)] : []
      return { op: 'add', scope: agent, kind: 'note', name, aliases, content: `${random.int(3)}` }
    }
    const { id, kind } = random.pick(entries)
    if (random.chance(4)) return { op: 'remove', id }
    if (kind !== 'context' && random.chance(3)) return { op: 'rename', id, name }
    if (kind !== 'context' && random.chance(3)) {
      return { op: 'alias', id, alias: name, mode: random.pick(['bind', 'take', 'drop'] as const) }
    }
    return { op: 'write', id, content: `${random.int(3)}` }
  }

  async #undo(agent: Scope): Promise<void> {
    const { change } = (await this.store.changes({ limit: 1 }))[0] ?? {}
    const request = this.#random.chance(2) ? {} : this.request(change?.number ?? 0)
    const { operations, expect, undone } = await planUndo(
      new UndoHistory(this.store, ['world', agent]),
      request,
      this.now,
    )
    const reverts = undone.map((logged) => logged.change.number)
    await this.store.apply({ operations, origin: { by: 'undo', agent }, reverts }, { expect })
  }

  async #purge(agent: Scope): Promise<void> {
    const [entry] = await this.#entries([agent])
    if (entry) await this.store.purge([entry.id], { origin: { by: 'agent', agent } })
  }

  async #cleanUp(agent: Scope): Promise<void> {
    const expired = (await this.#entries([agent])).filter(
      ({ expiresAt }) => expiresAt !== null && expiresAt <= this.now,
    )
    const operations = expired.map(({ id }): Operation => ({ op: 'remove', id }))
    await this.store.apply({ operations, origin: { by: 'agent', agent } })
  }

  async #entries(scopes: readonly Scope[]): Promise<readonly Entry[]> {
    return this.store.stateAt(Number.MAX_SAFE_INTEGER, { scopes: ['world', ...scopes] })
  }

  #origin(agent: Scope): Origin {
    const random = this.#random
    if (random.chance(8)) return { by: 'hand' }
    const session = random.chance(3) ? { session: random.pick(['s1', 's2']) } : {}
    return { by: random.chance(8) ? 'consolidation' : 'agent', agent, ...session }
  }
}

async function loadAll(store: Store, scopes: readonly Scope[]): Promise<UndoHistory> {
  const history = new UndoHistory(store, scopes)
  await history.loadNewest({}, Number.POSITIVE_INFINITY)
  return history
}

/** The plan, or the error. */
async function outcomeOf(plan: Promise<UndoPlan>): Promise<UndoPlan | object> {
  try {
    return await plan
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    const { code, message, data } = error
    return { code, message, data }
  }
}

describe('an undo', () => {
  it('plans the same as with the whole history', async () => {
    const outcomes = { plans: 0, errors: 0 }
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const random = seededRandom(seed)
      const memory = new RandomMemory(random)
      for (let n = 20 + random.int(80); n > 0; n--) await memory.step()
      const { store, now } = memory
      const numbers = (await store.changes({ limit: 1 }))[0]?.change.number ?? 0
      for (let n = 0; n < REQUESTS; n++) {
        const scopes = ['world', random.pick(AGENTS)]
        const request = n === 0 ? {} : memory.request(numbers)
        const expected = await outcomeOf(planUndo(await loadAll(store, scopes), request, now))
        const found = await outcomeOf(planUndo(new UndoHistory(store, scopes), request, now, 1 + random.int(8)))
        expect(found, `seed ${seed}: ${JSON.stringify({ scopes, request })}`).toEqual(expected)
        if ('operations' in expected) outcomes.plans++
        else outcomes.errors++
      }
    }
    expect(Math.min(outcomes.plans, outcomes.errors)).toBeGreaterThan(HISTORIES)
  })
})
