/**
 * A chat as a program reads it: answers on standard output and nothing else, warnings on standard error. Under `--json` neither: the
 * command prints all of it at the end. Control characters are replaced here too.
 */
import type { Reply } from '../../agent/agent.ts'
import type { AgentEvent } from '../../agent/events.ts'
import type { KeepsakeError } from '../../errors.ts'
import { complain, print } from '../report.ts'
import type { Screen } from '../screen.ts'
import type { Telling } from './telling.ts'

export class PipedTelling implements Telling {
  readonly #screen: Screen
  readonly #isSilent: boolean

  constructor(screen: Screen, isSilent: boolean) {
    this.#screen = screen
    this.#isSilent = isSilent
  }

  event(event: AgentEvent): void {
    if (event.type === 'warning') this.#warn(event.text)
  }

  answered({ text }: Reply): void {
    this.say(this.#screen.plain(text), [])
  }

  say(text: string, warnings: readonly string[]): void {
    if (!this.#isSilent) print(text)
    for (const warning of warnings) this.#warn(warning)
  }

  stopped(): void {
    // Whoever stopped it knows.
  }

  failed(error: KeepsakeError): never {
    throw error
  }

  #warn(text: string): void {
    if (!this.#isSilent) complain(`warning: ${text}`)
  }
}
