/** One run of condensing: what it is for and what it may take, checked once. */
import type { Memory, Session } from '../memory.ts'
import type { Origin } from '../model/entry.ts'
import { wholeNumber } from '../model/number.ts'
import { instant } from '../model/time.ts'
import type { Model } from '../ports/complete.ts'
import type { CallOptions } from '../ports/store.ts'
import type { CondensingOptions, ConsolidationStep } from './consolidated.ts'
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
}

const LONGEST_TIMER_MS = 2_147_483_647
const LARGEST_MEMORY = 16_777_216

export function runOf(memory: Memory, session: string, options: CondensingOptions): Run {
  const { consolidationTimeout, maxMemorySize } = memory.settings
  const { signal, timeoutMs = consolidationTimeout, told = () => undefined } = options
  return {
    memory,
    // Asked for anew each time: while a run waits, the memory may let go of the object of a session that is idle.
    get session() {
      return memory.session(session)
    },
    model: modelOf(options.model),
    timeoutMs: wholeNumber(timeoutMs, 'timeoutMs', 1, LONGEST_TIMER_MS),
    maxMemorySize: wholeNumber(options.maxMemorySize ?? maxMemorySize, 'maxMemorySize', 1, LARGEST_MEMORY),
    call: signal ? { signal } : {},
    told,
  }
}

export function nowOf({ memory }: Run): string {
  return instant(memory.clock())
}

export function originOf({ memory, session }: Run, by: 'consolidation' | 'raw-fallback'): Origin {
  return { by, agent: memory.agent, session: session.key }
}
