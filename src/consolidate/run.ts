/** One run of condensing: what it is for and what it may take, checked once. */
import type { Memory, Session } from '../memory.ts'
import type { Origin } from '../model/entry.ts'
import { LARGEST_MEMORY_BYTES, LONGEST_TIMER_MS, wholeNumber } from '../model/number.ts'
import { instant } from '../model/time.ts'
import type { Model } from '../ports/complete.ts'
import type { CallOptions } from '../ports/store.ts'
import type { CondensingOptions, Consolidated, ConsolidationStep } from './consolidated.ts'
import { modelOf } from './given-model.ts'

export interface Run {
  readonly memory: Memory
  readonly session: Session
  readonly model: Model
  readonly timeoutMs: number
  /** Bytes. */
  readonly maxMemorySize: number
  readonly call: CallOptions
  readonly told: (step: ConsolidationStep) => void
  /** What went wrong beside it. */
  readonly warnings: string[]
}

export function runOf(memory: Memory, session: string, options: CondensingOptions): Run {
  const { consolidationTimeout, maxMemorySize } = memory.settings
  const { signal, timeoutMs = consolidationTimeout } = options
  return {
    memory,
    // Asked for anew each time: while a run waits, the memory may let go of the object of a session that is idle.
    get session() {
      return memory.session(session)
    },
    model: modelOf(options.model),
    timeoutMs: wholeNumber(timeoutMs, 'timeoutMs', 1, LONGEST_TIMER_MS),
    maxMemorySize: wholeNumber(options.maxMemorySize ?? maxMemorySize, 'maxMemorySize', 1, LARGEST_MEMORY_BYTES),
    call: signal ? { signal } : {},
    ...heard(options.told),
  }
}

/** One who listens and fails costs no answer that is there: it is told as a warning, once. */
function heard(listener: CondensingOptions['told']): Pick<Run, 'told' | 'warnings'> {
  const warnings: string[] = []
  let isTold = false
  const told = (step: ConsolidationStep): void => {
    try {
      listener?.(step)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!isTold) warnings.push(`what listens to condensing failed: ${reason}`)
      isTold = true
    }
  }
  return { told, warnings }
}

export function withWarningsOf({ warnings }: Run, done: Consolidated): Consolidated {
  // Each piece may have told the same.
  return { ...done, warnings: [...new Set([...done.warnings, ...warnings])] }
}

/**
 * What hands did so far becomes changes before the one that is written next, so that `undo` takes back that one first. It also writes
 * what a crash of an earlier run kept from its files, where this one may have nothing left to write.
 */
export async function takeInEdits({ memory, call, warnings }: Run): Promise<void> {
  warnings.push(...(await memory.absorb(call)).warnings)
}

export function nowOf({ memory }: Run): string {
  return instant(memory.clock())
}

export function originOf({ memory, session }: Run, by: 'consolidation' | 'raw-fallback'): Origin {
  return { by, agent: memory.agent, session: session.key }
}
