/**
 * A folder that nobody has changed for a while, and how many texts were in it then. As long as it looks the same, no file has
 * come, gone or been renamed in it, and nobody need list it. (That a file was written to, it does not tell.)
 */
import type { Signature } from '../../codec/journal-record.ts'
import { namesIn } from '../disk/list-folder.ts'
import { sameSignature, settledSignature, statFile } from '../disk/reading.ts'

export interface FolderAtRest {
  readonly signature: Signature
  readonly texts: number
}

/** `undefined` when it has just changed, or is no folder. */
export function folderAtRest(path: string): FolderAtRest | undefined {
  const stats = statFile(path)
  const signature = stats?.isDirectory() ? settledSignature(stats) : undefined
  if (!signature) return undefined
  const texts = countTexts(namesIn(path))
  const after = statFile(path)
  return after && sameSignature(signature, after) ? { signature, texts } : undefined
}

export function countTexts(names: readonly string[]): number {
  let count = 0
  for (const name of names) if (name.endsWith('.md')) count++
  return count
}
