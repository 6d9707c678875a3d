/**
 * What a store hands to the contract suite, and what it gets back: cases that any test runner can run. A case opens a
 * store of its own, and disposes of it whatever happens. Capabilities are told beforehand, so that a case that needs
 * one the store lacks is shown as skipped, with the store's own reason.
 */
import type { Clock } from '../ports/clock.ts'
import type { Capabilities, Store } from '../ports/store.ts'

export interface OpenOptions {
  readonly clock: Clock
  readonly newId: (ms: number) => string
}

export interface StoreHarness {
  readonly name: string
  readonly capabilities: Capabilities
  /** A new, empty store. */
  open(options: OpenOptions): Promise<Store>
  /** Closes it and opens the same data again, with the same clock and ids; absent when there is nothing to open again. */
  reopen?(store: Store): Promise<Store>
  /** Whether what it opens is `Movable`, or why not. Left out: that is not tried. */
  readonly movable?: true | string
  /** Closes it (it may be closed already) and removes its data. */
  dispose(store: Store): Promise<void>
}

export interface ContractCase {
  readonly name: string
  /** Why it is not to be run. */
  readonly skip?: string
  readonly run: () => Promise<void>
}

export type Need = keyof Capabilities | 'movable'

/** One sentence of the contract, and how to try it. */
export interface Rule {
  readonly name: string
  readonly needs?: Need | readonly Need[]
  /** The rule runs only on stores that lack this, and checks how they refuse it. */
  readonly lacks?: keyof Capabilities
  run(trial: Trial): Promise<void>
}

/** A store under test, with the time and the restarts in the hands of the case. */
export interface Trial {
  readonly harness: StoreHarness
  readonly store: Store
  now(): string
  /** Lets time pass (back, when negative), and says what time it is then. */
  pass(ms: number): string
  /** From here on `store` is the reopened one. */
  reopen(): Promise<void>
}

const FIRST_MS = Date.parse('2026-03-14T09:26:53.589Z')

export function contractCase(harness: StoreHarness, rule: Rule): ContractCase {
  const lack = lackOf(harness, rule)
  return {
    name: rule.name,
    ...(lack === true ? {} : { skip: lack }),
    run: () => runRule(harness, rule),
  }
}

function lackOf(harness: StoreHarness, { needs = [] }: Rule): true | string {
  for (const need of typeof needs === 'string' ? [needs] : needs) {
    const has = need === 'movable' ? (harness.movable ?? true) : harness.capabilities[need]
    if (has !== true) return has
  }
  return true
}

async function runRule(harness: StoreHarness, rule: Rule): Promise<void> {
  let ms = FIRST_MS
  let store = await harness.open({ clock: () => ms, newId: countedIds() })
  try {
    await rule.run({
      harness,
      get store() {
        return store
      },
      now: () => new Date(ms).toISOString(),
      pass: (passed) => {
        ms += passed
        return new Date(ms).toISOString()
      },
      reopen: async () => {
        if (!harness.reopen) throw new Error(`${harness.name} says it is durable, but its harness can't reopen it`)
        store = await harness.reopen(store)
      },
    })
  } finally {
    await harness.dispose(store)
  }
}

/** UUIDv7s of the given time that count up, so that a failing case fails the same way again. */
function countedIds(): (ms: number) => string {
  let count = 0
  return (ms) => {
    const time = Math.floor(ms).toString(16).padStart(12, '0')
    const tail = (++count).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`
  }
}
