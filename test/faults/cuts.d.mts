import type { LoopDisk } from './tools.mjs'
import type { StoreName } from './workspace.mjs'

/** Writes that were acknowledged. */
export function powerCuts(plan: {
  readonly disk: LoopDisk
  readonly cuts: number
  readonly seed: number
  readonly store?: StoreName
  readonly rounds?: number
  readonly progress?: (cut: number) => void
}): Promise<number>
