/** `--as-of`: the memory that a reading command looks at, now or as it was, and the note of when that is. */
import type { Memory } from '../memory.ts'
import { localTime } from '../model/time.ts'
import type { Context, Option, Outcome } from './command.ts'
import { parseAsOf } from './date-options.ts'
import { noMemoryText } from './no-memory-text.ts'

export const AS_OF: Option = {
  name: 'as-of',
  value: 'DATE',
  about: 'as it was then: 2026-11-15 (the end of that day), yesterday, "last week", 2026-11-15T14:00:00Z, 3d (ago)',
}

export interface Reading {
  readonly memory: Memory
  readonly root: string
  readonly zone: string
  /** Shown instead of an empty answer if there is no memory yet. */
  readonly nothing: string | undefined
  /** Missing: now. */
  readonly asOf?: string
}

export async function openReading({ given, screen, open }: Context): Promise<Reading> {
  const opened = await open()
  const { memory, root } = opened
  const { timezone: zone } = await memory.store.settings()
  const asOf = parseAsOf(given, { zone, nowMs: Date.now() })
  const reading = { memory, root, zone, nothing: noMemoryText(opened, screen) }
  return asOf === undefined ? reading : { ...reading, memory: await memory.asOf(asOf), asOf }
}

/** The outcome, saying first which moment it is about; the present goes without saying. */
export function ofReading(outcome: Outcome, { asOf, zone, nothing }: Reading): Outcome {
  if (nothing !== undefined) return { ...outcome, text: nothing }
  if (asOf === undefined) return outcome
  const { day, time } = localTime(asOf, zone)
  return {
    ...outcome,
    json: { ...outcome.json, asOf },
    text: `As of ${day} ${time} (${zone}):\n\n${outcome.text}`,
  }
}
