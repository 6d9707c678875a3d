/**
 * What install and uninstall need of a file format: our one entry put in, renewed and taken out, every other byte kept.
 * Taking out what was put in gives the bytes of before: each way a file can have been before gives another text after,
 * so what is there tells what was. Pure; a byte order mark is not part of the text.
 */
import type { Entry } from './clients.ts'

export interface ConfigFormat {
  /** What stands under our name; undefined when nothing does. Throws a BrokenConfig where the text can't be read. */
  entryIn(text: string): unknown
  /** With our entry, which is not there yet. Without a text: a new file. */
  added(text: string | undefined, entry: Entry): string
  /** With the values of `entry` in the entry that is there; what else it says stays. */
  updated(text: string, entry: Entry): string
  /** With ours in the place of an entry that is there. */
  replaced(text: string, entry: Entry): string
  /**
   * Without our entry, which is there; undefined: without the file, for it was made for it. `written`: what install would have
   * written; missing where the entry says more, and then someone else wrote into the file, too.
   */
  removed(text: string, written?: Entry): string | undefined
  /** The entry as one would paste it. */
  snippet(entry: Entry): string
  /** All that is there but our entry, to be compared. */
  others(text: string): unknown
}

/** A text that can't be read, or holds our entry in a way that can't be edited. */
export class BrokenConfig extends Error {
  readonly line: number
  readonly column: number

  constructor(problem: string, line: number, column: number) {
    super(problem)
    this.line = line
    this.column = column
  }
}

export function brokenAt(text: string, offset: number, problem: string): BrokenConfig {
  const before = text.slice(0, offset).split('\n')
  return new BrokenConfig(problem, before.length, (before.at(-1) ?? '').length + 1)
}

/** The one that the text ends its lines with. */
export function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** What the line at `offset` begins with. */
export function indentationAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}
