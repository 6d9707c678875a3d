/**
 * What the three file shapes have in common: what a file says of an entry, and how a text that can't be understood is
 * reported. A file may say less than an entry holds; the store fills in what the path, the heading and the clock tell.
 */
import type { Metadata, Origin } from '../model/entry.ts'
import type { Kind } from '../model/kinds.ts'

/** What a file says of one entry. What it does not say is absent. */
export interface FileEntry {
  readonly id?: string
  readonly kind?: Kind
  readonly name?: string
  readonly key?: string
  readonly aliases: readonly string[]
  readonly description: string
  readonly metadata: Metadata
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly expiresAt?: string
  /** It says when it ends, or in a log when it began, or may do so, but nobody can read that: why, and of a card the line. */
  readonly undated?: string
  readonly origin?: Origin
  readonly content: string
}

/** The text can't be understood; the file is set aside and never overwritten. */
export class BrokenText extends Error {
  readonly problem: string
  /** Of the file, from 1; absent where no one line is to blame. */
  readonly line: number | undefined

  constructor(problem: string, line?: number) {
    super(line === undefined ? problem : `line ${line}: ${problem}`)
    this.name = 'BrokenText'
    this.problem = problem
    this.line = line
  }
}

/**
 * Parses one YAML document; throws on bad YAML. Handed in, because the library takes 30 ms to load and our own files do
 * not need it.
 */
export type ParseYaml = (text: string) => unknown
