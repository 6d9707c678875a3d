import type { Entry, Memory, SessionView, SummaryInput, Turn, TurnInput } from '../../src/memory.ts'

export const KEY: string
export const WINDOW: { readonly contextWindowSize: number }
export const LATER: readonly TurnInput[]
export function exchange(n: number | string): (TurnInput & { readonly id: string })[]
export function summary(input: SummaryInput): string

/** Throws when something is lost, double or in half. */
export function sessionIn(
  memory: Memory,
  key?: string,
): Promise<{
  readonly turns: readonly Turn[]
  readonly live: readonly string[]
  readonly archive: SessionView['archive']
  readonly archives: readonly Entry[]
  readonly conversation: readonly Entry[]
}>
