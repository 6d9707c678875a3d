/** Room on the disk: a write needs some, and a backup as much as the memory itself. */
import { statfsSync } from 'node:fs'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import type { Evidence } from './evidence.ts'

const FEWEST_BYTES = 100 * 1000 * 1000

export function checkSpace({ root, tree }: Evidence): Finding[] {
  const free = freeBytes(root)
  if (free === undefined || (free >= FEWEST_BYTES && free >= 2 * tree.bytes)) return []
  const problem = `${megabytes(free)} are free on its disk; the memory has ${megabytes(tree.bytes)}`
  return [
    finding('little-space', '.', problem, 'Free some space: a write that finds none fails, and so does a backup.'),
  ]
}

function freeBytes(root: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(root)
    return bavail * bsize
  } catch {
    return undefined // there is no folder yet, or the system does not tell
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`
}
