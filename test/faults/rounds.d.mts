import type { StoreName } from './workspace.mjs'

/** Writes that were acknowledged. */
export function together(round: {
  readonly writers: number
  readonly count: number
  readonly kills: number
  readonly seed: number
  readonly store?: StoreName
  readonly onDisk?: boolean
}): Promise<number>

export function randomKills(round: {
  readonly kills: number
  readonly lanes: number
  readonly seed: number
  readonly checkEvery: number
  readonly store?: StoreName
  readonly progress?: (killed: number) => void
}): Promise<{ killed: number; acknowledged: number }>

/** Writes that were acknowledged. */
export function commandLines(round: {
  readonly processes: number
  readonly count: number
  readonly store?: StoreName
}): Promise<number>

/** Throws when two processes had the lock at once. */
export function lockStress(round: { readonly processes: number; readonly count: number }): Promise<void>

export function firstUse(round: {
  readonly processes: number
  readonly rounds: number
  readonly store?: StoreName
}): Promise<void>

/** How often it read. */
export function readMeanwhile(round: {
  readonly writers: number
  readonly count: number
  readonly store?: StoreName
}): Promise<number>
