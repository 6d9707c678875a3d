/**
 * How text for people looks: colour where a terminal is there to show it and the environment does not forbid it. A memory
 * is text from anywhere, so control characters and invisible characters are shown by their code point. A pipe gets
 * the same, because most pipes end in a terminal.
 */
import { isAbsolute, join, relative, sep } from 'node:path'
import { isUrl } from '../config/value-types.ts'
import { codePointMark, markInvisible } from '../prompt/invisible.ts'

export interface ScreenFacts {
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

  /** The text of an entry, or the part from `start` to `end`. */
  plain(text: string, start?: number, end?: number): string {
    return markInvisible(text, start, end)
  }

  /** Text that must stay on its line: a path in it may hold a newline. */
  line(text: string): string {
    return markInvisible(text).replace(/[\t\n\r]/g, codePointMark)
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

const OWN_STYLE = Object.values(STYLES).flat().join('|')
const CONTROL = new RegExp(`(\\u001b\\[(?:${OWN_STYLE})m)|\\r(?!\\n)|(?![\\t\\n\\r])\\p{Cc}`, 'gu')

/** A last check of everything that is printed: the only controls it lets through are our own styles. */
export function withoutControls(text: string): string {
  return text.replace(CONTROL, (control: string, ownStyle?: string) => ownStyle ?? codePointMark(control))
}
