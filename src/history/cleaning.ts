/** Removals of what had expired: whoever made them, they did what time had done already. */
import { isExpired } from '../model/expiry.ts'
import type { Touched } from '../ports/store.ts'
import type { StepInForce } from './timeline.ts'

/** `at`: when the change was made. */
export function isCleaning({ before, after }: Touched, at: string): boolean {
  return before !== undefined && after === undefined && isExpired(before, at)
}

/** The number of the change that removed an entry so, where that is the last that counts of it. `steps`: newest first. */
export function cleanerOf(steps: readonly StepInForce[]): number | undefined {
  const last = steps.find(({ passes }) => !passes)
  return last && isCleaning(last.touched, last.change.at) ? last.change.number : undefined
}
