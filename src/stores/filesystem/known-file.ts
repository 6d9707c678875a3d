/** What a file should be, so far as the journal and our own looks tell. */
import type { Signature } from '../../codec/journal-record.ts'

export interface KnownFile {
  /** Of the whole text; unknown for logs that were appended to. */
  hash: string | undefined
  size: number | undefined
  /** Proves, while it still matches, that the file is as expected without reading it. */
  signature: Signature | undefined
  /** The last look at the whole folder that met it. */
  round: number
}

/** All of one shape: a memory has many. */
export function knownFile(hash?: string, size?: number, signature?: Signature): KnownFile {
  return { hash, size, signature, round: 0 }
}
