/**
 * Forgetting for good: a new file takes the place of this one in one step, and in it is nothing of these entries, neither in the
 * past nor in transcripts nor in what was derived. A crash leaves the one or the other.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ChangeRecord } from '../../codec/change-record.ts'
import { instant } from '../../model/time.ts'
import type { Purged } from '../../ports/store.ts'
import { namesIn } from '../disk/list-folder.ts'
import { othersPast } from '../disk/others-past.ts'
import { isTooShort, needlesOf } from '../disk/purge-needles.ts'
import { removeFile } from '../disk/system.ts'
import { isNamedUnfinished, sweepUnfinished } from '../disk/unfinished.ts'
import type { FollowedFile } from './follower.ts'
import { keptFileAt } from './image.ts'
import { isTemporary, isUnfinishedMove } from './new-file.ts'
import { readHistory } from './past.ts'
import { getEntry } from './reader.ts'
import type { FileTurn } from './writer.ts'

export interface PurgeOptions {
  readonly ids: readonly string[]
  readonly nowMs: number
  readonly sidecar: string
  /** What the entries said, or say, elsewhere. */
  readonly texts?: readonly string[]
}

/** Whatever the entries ever said is told beside what was done. */
export async function purge(
  turn: FileTurn,
  { ids: given, nowMs, sidecar, texts: elsewhere = [] }: PurgeOptions,
): Promise<Purged & { readonly texts: readonly string[] }> {
  const { state } = turn
  const ids = new Set(given)
  const texts = [...new Set([...textsOf(state, ids), ...elsewhere])]
  const needles = needlesOf(texts)
  const isThere = given.some((id) => state.catalogue.head(id) !== undefined)
  const before = state.catalogue.files.size
  const sessions = await turn.rebuild({
    epoch: crypto.randomUUID(),
    purging: { ids, needles, ...(isThere ? { change: emptiedChange(state, nowMs) } : {}) },
  })
  removeLeftOvers(turn.state.file.path, sidecar)
  const cleaned = [`${isThere ? 'the entries, the' : 'the'} record of changes and everything derived from it`]
  if (sessions > 0) cleaned.push(`${sessions} session${sessions === 1 ? '' : 's'} that said it`)
  const files = before - turn.state.catalogue.files.size
  if (files > 0) cleaned.push(`${files} file${files === 1 ? '' : 's'} that came from a folder with its text`)
  return { cleaned, outOfReach: outOfReach(turn.state, texts, needles), texts }
}

/** What stopped programs left: each may be a whole copy. Nobody else is at those in the sidecar, for the lock is held. */
function removeLeftOvers(path: string, sidecar: string): void {
  for (const name of namesIn(sidecar)) {
    if (isTemporary(name) || isUnfinishedMove(name)) removeFile(join(sidecar, name))
  }
  sweepUnfinished('archive', dirname(path))
  sweepUnfinished('restore', dirname(path))
}

/** The change that removed them, without them: the numbers go on. */
function emptiedChange({ catalogue }: FollowedFile, nowMs: number): ChangeRecord {
  return { number: catalogue.number + 1, at: instant(nowMs), origin: { by: 'hand' }, operations: [], set: [] }
}

/** Every text that the entries ever had. */
function textsOf(state: FollowedFile, ids: ReadonlySet<string>): string[] {
  const { entries, changes } = readHistory(state)
  const texts = new Set(entries.filter(({ id }) => ids.has(id)).map(({ content }) => content))
  for (const { touched } of changes) {
    for (const { id, after } of touched) if (after && ids.has(id)) texts.add(after.content)
  }
  for (const id of ids) texts.add(getEntry(state, id)?.content ?? '')
  texts.delete('')
  return [...texts]
}

function outOfReach(state: FollowedFile, texts: readonly string[], needles: readonly string[]): string[] {
  const { path } = state.file
  const told: string[] = []
  if (isTooShort(texts)) {
    told.push('sessions and other files that say it: the text is too short to be looked for by itself')
  }
  told.push(...othersPast(readHistory(state), needles))
  for (const kept of filesHolding(state, needles)) {
    told.push(`${kept}, a file that came from a folder, holds the same text: it is not the entry's own`)
  }
  const stem = basename(path)
  for (const name of namesIn(dirname(path))) {
    if (name.startsWith(`${stem}.before-`) || name.startsWith(`${stem}.damaged-`)) {
      told.push(`${join(dirname(path), name)}, an earlier state of the file: remove it if you need it no more`)
    }
    if (isNamedUnfinished(name)) {
      told.push(`${join(dirname(path), name)}, an unfinished backup or restore: remove it if nobody is at it`)
    }
  }
  const git = gitFolderOf(dirname(path))
  if (git !== undefined) told.push(`the history of the git repository in ${git}, if it was committed`)
  told.push('copies of the file: syncs, snapshots, backups elsewhere; and an agent that has read it')
  return told
}

function filesHolding({ file, catalogue }: FollowedFile, needles: readonly string[]): string[] {
  return [...catalogue.files].flatMap(([path, at]) => {
    const bytes = Buffer.from(keptFileAt(file, at).bytes)
    return needles.some((needle) => bytes.includes(needle)) ? [path] : []
  })
}

function gitFolderOf(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return undefined
  }
}
