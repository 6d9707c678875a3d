/**
 * How text for people looks: colour where a terminal is there to show it and NO_COLOR does not forbid it. A memory is
 * text from anywhere, so what a terminal would obey is shown to it, not sent; a pipe gets every byte as it is.
 */
import { isAbsolute, join, relative, sep } from 'node:path'
import { styleText } from 'node:util'

export interface ScreenFacts {
  readonly isTerminal: boolean
  readonly noColor: boolean
  readonly cwd: string
}

export class Screen {
  readonly #facts: ScreenFacts

  constructor(facts: ScreenFacts) {
    this.#facts = facts
  }

  bold(text: string): string {
    return this.#styled('bold', this.plain(text))
  }

  dim(text: string): string {
    return this.#styled('dim', this.plain(text))
  }

  /** Text of an entry. */
  plain(text: string): string {
    return this.#facts.isTerminal ? printable(text) : text
  }

  /** A path as one would type it here. */
  path(root: string, path: string): string {
    const full = isAbsolute(path) ? path : join(root, path)
    const fromHere = relative(this.#facts.cwd, full)
    const isBelow = fromHere !== '' && fromHere !== '..' && !fromHere.startsWith(`..${sep}`) && !isAbsolute(fromHere)
    return this.plain(isBelow ? fromHere : full)
  }

  #styled(format: 'bold' | 'dim', text: string): string {
    return this.#facts.isTerminal && !this.#facts.noColor ? styleText(format, text) : text
  }
}

// All control characters but tab and newline; a carriage return could overwrite what stands before it.
const COMMANDS_TO_TERMINALS = /(?![\t\n])\p{Cc}/gu

export function printable(text: string): string {
  return text.replace(COMMANDS_TO_TERMINALS, visible)
}

function visible(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
