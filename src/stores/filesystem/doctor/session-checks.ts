/** Transcripts: a torn last line is a crash's and harmless; a line in the middle that can't be read is damage. */
import { isKeepsakeError } from '../../../errors.ts'
import { WORLD } from '../../../model/entry.ts'
import { counted, type Finding, finding, saidOf } from '../../disk/doctor/finding.ts'
import { brokenLines, MEND, metadataFindings } from '../../disk/doctor/transcript-checks.ts'
import { readFileAt } from '../../disk/reading.ts'
import { NEWLINE, type Rest, restOf } from '../../disk/session-tail.ts'
import { scopeFolder } from '../layout.ts'
import type { Scene } from './evidence.ts'
import { secretsInSession } from './secret-check.ts'
import { scopesOf } from './text-places.ts'
import type { Item } from './tree.ts'

export interface SessionFacts {
  readonly path: string
  readonly tail: Tail
}

/** What follows the last whole line, which ends at `end`. `unread`: the file could not be. */
export type Tail =
  | { readonly is: 'none' | 'empty' | 'unread' | Exclude<Rest, 'torn'> }
  | { readonly is: 'torn'; readonly end: number }

export function sessionItems(scene: Scene): Item[] {
  const agents = [...scopesOf(scene)].filter((scope) => scope !== WORLD)
  const folders = new Set(agents.map((scope) => `${scopeFolder(scene.workspace.layout, scope)}sessions`))
  return scene.tree.items.filter(
    ({ type, folder, name }) => type === 'file' && folders.has(folder) && name.endsWith('.jsonl'),
  )
}

export function lookAtSession(
  { path, name }: Item,
  { workspace, lock }: Scene,
): { readonly facts: SessionFacts; readonly findings: readonly Finding[] } {
  let bytes: Uint8Array | undefined
  try {
    workspace.refuseLinks(path)
    bytes = readFileAt(workspace.absolute(path))?.bytes
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    const findings = [finding('unreadable', path, saidOf(error), 'Check its owner and mode, and the disk.')]
    return { facts: { path, tail: { is: 'unread' } }, findings }
  }
  if (!bytes) return { facts: { path, tail: { is: 'none' } }, findings: [] }
  const tail = tailOf(bytes)
  // A line without its end may be one that a living writer is at.
  const ofTail = lock.is === 'held' ? [] : tailFindings(path, tail, bytes)
  const ofLines = [...metadataFindings(path, name, bytes), ...brokenLines(path, bytes)]
  const findings = [...ofTail, ...ofLines, ...secretsInSession(path, bytes)]
  return { facts: { path, tail }, findings }
}

export function tailOf(bytes: Uint8Array): Tail {
  if (bytes.length === 0) return { is: 'empty' }
  const end = bytes.lastIndexOf(NEWLINE) + 1
  if (end === bytes.length) return { is: 'none' }
  const is = restOf(bytes.subarray(end), end === 0)
  return is === 'torn' ? { is, end } : { is }
}

function tailFindings(path: string, tail: Tail, bytes: Uint8Array): Finding[] {
  const mended = 'The next append to this session, or --fix, mends it.'
  switch (tail.is) {
    case 'none':
    case 'unread':
      return []
    case 'empty':
      return [finding('torn-session', path, 'it is empty: a crash came before its first line', mended)]
    case 'unended':
      return [finding('torn-session', path, 'its last line has no end', mended)]
    case 'torn': {
      const lost = counted(bytes.length - tail.end, 'byte', 'bytes')
      return [finding('torn-session', path, `a crash cut its last line (${lost}); nobody was promised it`, mended)]
    }
    case 'unknown':
      return [finding('broken-session-line', path, 'its last line can not be read', MEND)]
    case 'foreign': {
      const hint = 'It is left as it is. Mend it in an editor, move it away, or restore it from a backup.'
      return [finding('broken-session', path, 'it is one line without an end, and none that Keepsake began', hint)]
    }
  }
}
