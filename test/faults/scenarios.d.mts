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
  /** What was refused may be done all the same: its last step is not the one that makes it so. */
  readonly mayBeDone?: true
  /** All steps are begun at once. */
  readonly together?: true
}

/** Those that any store can play. */
export const writeScenarios: readonly Scenario[]
export const scenarios: readonly Scenario[]
export function everything(opened: Opened): Promise<void>
export function remember(opened: Opened): Promise<unknown>
export function overwrite(opened: Opened): Promise<unknown>
