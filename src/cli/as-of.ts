/** `--as-of`: the memory that a reading command looks at, now or as it was, and the note of when that is. */
import type { Memory } from '../memory.ts'
import { localTime } from '../model/time.ts'
import type { Context, Option, Outcome } from './command.ts'
import { parseAsOf } from './date-options.ts'

export const AS_OF: Option = {
  name: 'as-of',
  value: 'DATE',
  about: 'as it was then: 2026-11-15 (the end of that day), yesterday, "last week", 2026-11-15T14:00:00Z, 3d (ago)',
}

export interface Reading {
  readonly memory: Memory
  readonly root: string
  readonly zone: string
  /** Missing: now. */
  readonly asOf?: string
}

export async function openReading({ given, open }: Context): Promise<Reading> {
  const { memory, root } = await open()
  const { timezone: zone } = await memory.store.settings()
  const asOf = parseAsOf(given, { zone, nowMs: Date.now() })
  return asOf === undefined ? { memory, root, zone } : { memory: await memory.asOf(asOf), root, zone, asOf }
}

/** The outcome, saying first which moment it is about; the present goes without saying. */
export function ofReading(outcome: Outcome, { asOf, zone }: Reading): Outcome {
  if (asOf === undefined) return outcome
  const { day, time } = localTime(asOf, zone)
  return {
    ...outcome,
    json: { ...outcome.json, asOf },
    text: `As of ${day} ${time} (${zone}):\n\n${outcome.text}`,
  }
}
