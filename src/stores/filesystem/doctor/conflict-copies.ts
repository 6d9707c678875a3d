/**
 * Copies that sync programs make when two machines changed one file. Some say so in their name; of the others the name
 * only hints at it, and the id inside, which stands elsewhere too, proves it.
 */

import { type Finding, finding } from '../../disk/doctor/finding.ts'
import { STATE_FOLDER } from '../layout.ts'
import type { Evidence } from './evidence.ts'
import type { TextFacts } from './texts.ts'

/** Dropbox and Nextcloud, Syncthing, ownCloud. */
const SAYS_SO =
  /\((?:.*['’]s )?(?:conflicted copy|case conflict)\b[^)]*\)|\.sync-conflict-\d{8}-\d{6}|_conflict-\d{8}-\d{6}/i

export function checkConflictCopies(evidence: Evidence): Finding[] {
  const paths = new Set([
    ...evidence.tree.items
      .filter(({ type, path, name }) => type === 'file' && mayConflict(path) && SAYS_SO.test(name))
      .map(({ path }) => path),
    ...copiesByName(evidence).map(({ place }) => place.path),
  ])
  return [...paths].map((path) => {
    const problem = 'it looks like the copy that a sync program made of a file changed in two places'
    const hint = path.startsWith(STATE_FOLDER)
      ? 'Keep .state/ out of the sync: it belongs to one machine. Then delete the copy.'
      : 'Take over what is only in the copy, then delete the copy.'
    return finding('conflict-copy', path, problem, hint)
  })
}

/** Texts that are such copies: their ids and names are the original's, on purpose. */
export function conflictCopies(evidence: Evidence): Set<TextFacts> {
  const saying = evidence.texts.filter(({ place }) => SAYS_SO.test(place.path.slice(place.path.lastIndexOf('/') + 1)))
  return new Set([...saying, ...copiesByName(evidence)])
}

function mayConflict(path: string): boolean {
  return !path.startsWith(`${STATE_FOLDER}/`) || path.startsWith(`${STATE_FOLDER}/journal/`) || !path.includes('/', 7)
}

/** `deploys 2.md` (iCloud), `deploys (1).md` (Drive), `deploys-HERON.md` (OneDrive), with the id of `deploys.md`. */
function copiesByName({ texts }: Evidence): TextFacts[] {
  // A mirror holds the same ids as what it mirrors, and is no original.
  const byPath = new Map(texts.flatMap((text) => (text.place.mirror ? [] : [[text.place.path, text]])))
  return texts.filter(({ place, entries }) => {
    const original = /^(.+?)(?: \d+| \(\d+\)|-[A-Z0-9][A-Za-z0-9-]*)\.md$/.exec(place.path)?.[1]
    const ids = new Set(byPath.get(`${original}.md`)?.entries.flatMap(({ id, named }) => (named ? id : [])))
    return entries.some(({ id, named }) => named && ids.has(id))
  })
}
