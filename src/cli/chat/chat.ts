/** What a chat is made of, for those who do one part of it. Types only. */
import type { Agent } from '../../agent/agent.ts'
import type { Memory } from '../../memory.ts'
import type { Context } from '../command.ts'
import type { Lines } from './lines.ts'
import type { Telling } from './telling.ts'

export interface Chat {
  readonly context: Context
  readonly memory: Memory
  readonly root: string
  readonly zone: string
  /** Its name. */
  readonly model: string
  /** Where it is, unless that is its provider's own place. */
  readonly host: string | undefined
  readonly agent: Agent
  readonly session: string
  readonly lines: Lines
  readonly telling: Telling
  /** Whether a person looks on. */
  readonly isTerminal: boolean
}
