import type { LoopDisk } from './tools.mjs'

/** Writes that were acknowledged. */
export function powerCuts(plan: {
  readonly disk: LoopDisk
  readonly cuts: number
  readonly seed: number
  readonly rounds?: number
  readonly progress?: (cut: number) => void
}): Promise<number>
