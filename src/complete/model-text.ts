/**
 * The text of an answer as it comes. What no file can hold (NUL, halves of a character) is replaced, and a character whose
 * halves come in two pieces is put together first.
 */
import { keepableText } from '../model/content.ts'

const HIGH_HALF_AT_END = /[\ud800-\udbff]$/

export class ModelText {
  #text = ''
  #held = ''
  readonly #onText: ((piece: string) => void) | undefined

  constructor(onText: ((piece: string) => void) | undefined) {
    this.#onText = onText
  }

  add(piece: string): void {
    const all = this.#held + piece
    this.#held = HIGH_HALF_AT_END.exec(all)?.[0] ?? ''
    this.#tell(all.slice(0, all.length - this.#held.length))
  }

  /** All of it. */
  end(): string {
    this.#tell(this.#held)
    this.#held = ''
    return this.#text
  }

  /** Whether anybody was told a piece of it. */
  get isTold(): boolean {
    return this.#onText !== undefined && this.#text !== ''
  }

  #tell(piece: string): void {
    const clean = keepableText(piece)
    if (clean === '') return
    this.#text += clean
    this.#onText?.(clean)
  }
}
