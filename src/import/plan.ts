/**
 * What every reader of another program's memory takes and gives: files with their texts in, candidates out. Nothing here is
 * trusted, and nothing is decided: whether a candidate is new is for settle.ts, which knows what is there already.
 */
import type { ParseYaml } from '../codec/file-entry.ts'
import type { Metadata } from '../model/entry.ts'

export interface SourceFile {
  /** Below the folder that is imported, with forward slashes; of a single file its name. */
  readonly path: string
  readonly text: string
  readonly modifiedAt?: string
}

export interface ReadOptions {
  /** What a time without a zone is taken in. */
  readonly zone: string
  readonly yaml: ParseYaml
}

/** Something that may become an entry of the agent. */
export interface Candidate {
  readonly kind: 'note' | 'fact' | 'experience' | 'memory'
  /** Which one it is at its source: the same at every reading, also after its text has changed there. */
  readonly key: string
  readonly name?: string
  readonly content: string
  readonly aliases?: readonly string[]
  readonly description?: string
  readonly metadata?: Metadata
  readonly createdAt?: string
  readonly updatedAt?: string
  /** `null`: never. Left out: its source does not speak of ends, and what is here has its own. */
  readonly expiresAt?: string | null
  /** Where it stood: path, and line where there is one. */
  readonly source: string
}

export interface ImportProblem {
  readonly source: string
  readonly problem: string
  /** Only a part of it is lost, such as a name: the rest is a candidate. */
  readonly taken?: true
}

export interface ImportPlan {
  readonly candidates: readonly Candidate[]
  readonly problems: readonly ImportProblem[]
}
