/**
 * How text for people looks: colour where a terminal is there to show it and the environment does not forbid it. A memory
 * is text from anywhere, so what a terminal would obey is shown to it, not sent; a pipe gets every byte as it is.
 */
import { isAbsolute, join, relative, sep } from 'node:path'
import { isUrl } from '../config/value-types.ts'

export interface ScreenFacts {
  readonly isTerminal: boolean
  readonly hasColor: boolean
  readonly cwd: string
}

/** Codes that begin and end a style. Not node:util's styleText, which asks the environment on its own. */
const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], cyan: [36, 39] } as const

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

  red(text: string): string {
    return this.#styled('red', this.plain(text))
  }

  green(text: string): string {
    return this.#styled('green', this.plain(text))
  }

  cyan(text: string): string {
    return this.#styled('cyan', this.plain(text))
  }

  /** Text of an entry. */
  plain(text: string): string {
    return this.#facts.isTerminal ? printable(text) : text
  }

  /** Text that must stay on its line, also in a pipe: a path in it may hold a newline. */
  line(text: string): string {
    return this.plain(text.replace(/\p{Cc}/gu, visible))
  }

  /** A path as one would type it here. */
  path(root: string, path: string): string {
    if (isUrl(path)) return this.line(path)
    if (isUrl(root)) return this.line(path === '.' ? root : path)
    const full = isAbsolute(path) ? path : join(root, path)
    const fromHere = relative(this.#facts.cwd, full)
    const isBelow = fromHere !== '' && fromHere !== '..' && !fromHere.startsWith(`..${sep}`) && !isAbsolute(fromHere)
    return this.line(isBelow ? fromHere : full)
  }

  #styled(style: keyof typeof STYLES, text: string): string {
    if (!this.#facts.hasColor || text === '') return text
    const [begin, end] = STYLES[style]
    return `\u001b[${begin}m${text}\u001b[${end}m`
  }
}

/** What is asked for by FORCE_COLOR wins; else a terminal that can show colours, unless NO_COLOR is set. */
export function hasColor(isTerminal: boolean, variable: (name: string) => string | undefined): boolean {
  const forced = variable('FORCE_COLOR')
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTerminal && variable('NO_COLOR') === undefined && variable('TERM') !== 'dumb'
}

/**
 * All control characters but tab and newline; a carriage return could overwrite what stands before it. So could those that turn the
 * direction of a text make it read as another one.
 */
export function printable(text: string): string {
  return text.replace(/(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, visible)
}

/** The same for JSON, which stays what it is: such characters stand in its strings only, and its own escapes say the same there. */
export function printableJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, asUnicode)
}

function visible(character: string): string {
  const code = character.charCodeAt(0)
  return code > 0xff ? asUnicode(character) : `\\x${code.toString(16).padStart(2, '0')}`
}

function asUnicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
