/** What comes of a line, told while it comes: on a terminal to a person, else to whoever reads the pipe. */
import type { Reply } from '../../agent/agent.ts'
import type { AgentEvent } from '../../agent/events.ts'
import type { KeepsakeError } from '../../errors.ts'

export interface Telling {
  event(event: AgentEvent): void
  answered(reply: Reply): void
  /** What a slash word answers. */
  say(text: string, warnings: readonly string[]): void
  /** The answer was interrupted. */
  stopped(): void
  /** The chat goes on, where there is somebody who can do something about it; else this throws. */
  failed(error: KeepsakeError): void
}
