import type { Memory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store.ts'

export interface Opened {
  readonly root: string
  readonly store: Store & { init(): Promise<void> }
  readonly memory: Memory
}

export interface Scenario {
  readonly name: string
  /** Run unharmed, in a folder that exists. */
  readonly prepare?: (opened: Opened) => unknown
  readonly steps: readonly ((opened: Opened) => unknown)[]
  /** All steps are begun at once. */
  readonly together?: true
}

export const scenarios: readonly Scenario[]
