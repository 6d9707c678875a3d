/**
 * A model's text as it comes, made fit to be shown. What a terminal would obey is shown to it character by character, so it makes no
 * difference where a piece ends; only what belongs together (both halves of a character, the two of a line's end) waits for the next one.
 */
import type { Screen } from '../screen.ts'

export class StreamedText {
  readonly #screen: Screen
  #held = ''
  #endsLine = true

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** Whether what was shown so far ends with a line, or is nothing. */
  get endsLine(): boolean {
    return this.#endsLine
  }

  /** What of it can be shown by now. */
  take(piece: string): string {
    const text = this.#held + piece
    const isHalf = /[\r\ud800-\udbff]$/.test(text)
    this.#held = isHalf ? text.slice(-1) : ''
    return this.#shown(isHalf ? text.slice(0, -1) : text)
  }

  /** What was held back, once nothing more comes. */
  rest(): string {
    const text = this.#held
    this.#held = ''
    return this.#shown(text)
  }

  #shown(text: string): string {
    const shown = this.#screen.plain(text.replaceAll('\r\n', '\n').toWellFormed())
    if (shown !== '') this.#endsLine = shown.endsWith('\n')
    return shown
  }
}
