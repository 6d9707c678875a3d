/**
 * A model's text as it arrives, made safe to show. It does not matter where a chunk ends: characters that belong together (both halves
 * of a surrogate pair, CR and LF, invisible characters and the one after them) wait for the next chunk. The last character shown
 * is kept, because it decides whether a joiner after it stays.
 */
import type { Screen } from '../screen.ts'

/** One invisible character. */
const UNSEEN = '(?![\\t\\n])[\\p{Cc}\\p{Default_Ignorable_Code_Point}]'
/** The end of a text that waits for the next chunk. */
const HELD = new RegExp(`(?<!${UNSEEN})(?:${UNSEEN})*[\\ud800-\\udbff]?$`, 'u')

export class StreamedText {
  readonly #screen: Screen
  #held = ''
  #last = ''
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
    const end = text.search(HELD)
    this.#held = text.slice(end)
    return this.#shown(text.slice(0, end))
  }

  /** What was held back, once nothing more comes. */
  rest(): string {
    const text = this.#held
    this.#held = ''
    return this.#shown(text)
  }

  #shown(text: string): string {
    const whole = this.#last + text.replaceAll('\r\n', '\n').toWellFormed()
    const shown = this.#screen.plain(whole, this.#last.length)
    if (shown !== '') this.#endsLine = shown.endsWith('\n')
    this.#last = /.?$/su.exec(whole)?.[0] ?? ''
    return shown
  }
}
