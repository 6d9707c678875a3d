/** A chat as a person sees it: the answer as it comes, and a line for each thing that happens besides. */
import type { WriteStream } from 'node:tty'
import type { Reply } from '../../agent/agent.ts'
import type { AgentEvent } from '../../agent/events.ts'
import type { KeepsakeError } from '../../errors.ts'
import { consolidatedText } from '../consolidated-text.ts'
import type { TextPlace } from '../entry-text.ts'
import { StreamedText } from './streamed-text.ts'
import type { Telling } from './telling.ts'

const MOST_OF_A_CALL = 100

type Place = Pick<TextPlace, 'screen' | 'root'>

export class TerminalTelling implements Telling {
  readonly #terminal: WriteStream
  readonly #place: Place
  readonly #quietly: boolean
  #streamed: StreamedText
  /** Whether anything of the answer was shown. */
  #hasSpoken = false

  constructor(terminal: WriteStream, place: Place, quietly: boolean) {
    this.#terminal = terminal
    this.#place = place
    this.#quietly = quietly
    this.#streamed = new StreamedText(place.screen)
  }

  event(event: AgentEvent): void {
    const { screen } = this.#place
    if (event.type === 'text') {
      this.#hasSpoken = true
      this.#terminal.write(this.#streamed.take(event.text))
    } else if (event.type === 'warning') {
      this.#line(screen.plain(`warning: ${event.text}`))
    } else if (!this.#quietly) {
      const told = this.#toldOf(event)
      if (told !== undefined) this.#line(told)
    }
  }

  answered({ text }: Reply): void {
    // A model that can't stream says all of it at the end.
    if (this.#hasSpoken) this.#endLine()
    else if (text !== '') this.#line(this.#place.screen.plain(text))
    this.#hasSpoken = false
  }

  say(text: string, warnings: readonly string[]): void {
    this.#line(text)
    for (const warning of warnings) this.#line(this.#place.screen.plain(`warning: ${warning}`))
  }

  stopped(): void {
    this.#line(this.#place.screen.dim('(stopped)'))
    this.#hasSpoken = false
  }

  failed({ message, hint }: KeepsakeError): void {
    const { screen } = this.#place
    this.#line(screen.red(message))
    if (hint !== undefined) this.#line(screen.plain(hint))
    this.#hasSpoken = false
  }

  #toldOf(event: Exclude<AgentEvent, { readonly type: 'text' | 'warning' }>): string | undefined {
    const { screen } = this.#place
    if (event.type === 'condensing') return screen.dim('condensing …')
    if (event.type === 'condensed') {
      const { outcome, marker } = event.consolidated
      if (outcome === 'condensed') return consolidatedText(event.consolidated, this.#place)
      // Who began anew is told by the answer.
      return outcome === 'fell back' && marker?.reason !== 'new'
        ? screen.dim('To condense it: keepsake consolidate --retry')
        : undefined
    }
    if (event.type === 'tool-call') return undefined
    const { call, text, isError } = event
    const called = screen.line(`· ${call.name} ${cut(JSON.stringify(call.arguments))}`)
    return screen.dim(isError ? `${called} failed: ${screen.line(cut(text))}` : called)
  }

  #line(text: string): void {
    this.#endLine()
    this.#terminal.write(`${text}\n`)
  }

  /** What follows begins on a line of its own. */
  #endLine(): void {
    this.#terminal.write(this.#streamed.rest())
    if (!this.#streamed.endsLine) this.#terminal.write('\n')
    this.#streamed = new StreamedText(this.#place.screen)
  }
}

function cut(text: string): string {
  return text.length > MOST_OF_A_CALL ? `${text.slice(0, MOST_OF_A_CALL).toWellFormed()}…` : text
}
