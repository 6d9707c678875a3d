/**
 * The journal: is it whole, is it this workspace's, was it copied? The files are the truth, so nothing that is wrong
 * here loses an entry; what is lost is undo and the past. Where the journal can't be built on, the next write begins
 * anew.
 */

import { counted, type Finding, finding, saidOf } from '../../disk/doctor/finding.ts'
import type { LockState } from '../../disk/doctor/lock-state.ts'
import { thisProcess } from '../../disk/owner.ts'
import { STATE_FOLDER } from '../layout.ts'
import type { Evidence } from './evidence.ts'
import { grouped } from './grouped.ts'
import type { JournalEvidence, SegmentFacts } from './journal-evidence.ts'

const NEXT_WRITE =
  'No entry is lost: the files are the truth. The next write, or --fix, starts a new journal beside it.'
const POORER = 'Only undo and the past are poorer for it. A backup may have it whole.'
const CHECKPOINT = '.state/checkpoint'

export function checkJournal({ journal, workspace, lock }: Evidence): Finding[] {
  const { segments } = journal
  const live = liveSegments(journal)
  return [
    ...segments.flatMap((segment) => refused(segment, workspace.settings.id)),
    ...segments
      .filter((segment) => !isGrowing(segment, segments, lock))
      .flatMap((segment) => broken(segment, live, segments)),
    ...gaps(segments, live),
    ...copied(live, workspace.settings.id),
    ...journal.brokenBases.map(({ path, error }) => finding('damaged-past', path, saidOf(error), POORER)),
  ]
}

export function checkCheckpoint({ journal, tree }: Evidence): Finding[] {
  const { checkpoint, segments } = journal
  // Of what can't be listed, nobody knows what it lacks.
  const unlisted = ['.', STATE_FOLDER, `${STATE_FOLDER}/journal`]
  if (tree.unreadable.some(({ path }) => unlisted.includes(path))) return []
  if (checkpoint === 'damaged') return [finding('checkpoint-damaged', CHECKPOINT, 'it can not be read', NEXT_WRITE)]
  if (checkpoint === 'missing') {
    if (segments.length === 0) return []
    return [finding('checkpoint-missing', CHECKPOINT, 'it is gone, although there is a journal', NEXT_WRITE)]
  }
  const { segment, offset } = checkpoint.position
  const found = segments.find(({ name }) => name === segment)
  if (found ? found.error || offset <= found.size : goesOn(segments, segment, checkpoint.catalog.number)) return []
  const problem = 'it sums up a journal that is not there'
  return [finding('checkpoint-astray', CHECKPOINT, problem, NEXT_WRITE)]
}

/** Segments may be gone that the checkpoint covers whole. */
function goesOn(segments: readonly SegmentFacts[], segment: string, number: number): boolean {
  const later = segments.filter(({ name }) => name > segment)
  const next = later.flatMap(({ numbers }) => numbers)[0]
  return later.length > 0 && (next === undefined || next === number + 1)
}

/** What opening a workspace builds on: the newest epoch, from the checkpoint on. The rest is only for looking back. */
function liveSegments({ segments, checkpoint }: JournalEvidence): Set<SegmentFacts> {
  const epoch = segments.findLast(({ header }) => header)?.header?.epoch
  const first = segments.find(({ header }) => header?.epoch === epoch)?.name ?? ''
  const summedUp = typeof checkpoint === 'object' ? checkpoint.position.segment : ''
  return new Set(segments.filter(({ name }) => name >= first && name >= summedUp))
}

function refused({ path, error, header }: SegmentFacts, workspaceId: string): Finding[] {
  if (error?.code === 'NEWER') return [finding('newer-journal', path, saidOf(error), error.hint ?? '')]
  const away = 'Move .state/journal and .state/checkpoint away: no entry is lost, but undo and the past are.'
  if (error?.code === 'FOREIGN') return [finding('foreign-journal', path, saidOf(error), away)]
  if (error) return [finding('unreadable', path, saidOf(error), error.hint ?? '')]
  if (header === undefined || header.workspace === workspaceId) return []
  return [finding('foreign-journal', path, `it belongs to workspace ${header.workspace}`, away)]
}

/** A line without its end may be one that a living writer is at. */
function isGrowing(segment: SegmentFacts, segments: readonly SegmentFacts[], lock: LockState): boolean {
  return lock.is === 'held' && segment === segments.at(-1) && segment.rest === 'torn'
}

function broken(segment: SegmentFacts, live: ReadonlySet<SegmentFacts>, segments: readonly SegmentFacts[]): Finding[] {
  const { path, rest, length, size } = segment
  if (rest === 'none') return []
  const lost = counted(size - length, 'byte', 'bytes')
  if (rest === 'torn' && segment === segments.at(-1)) {
    const problem = `a crash cut its last line (${lost}); nobody was promised that change`
    return [finding('torn-journal', path, problem, 'The next write, or --fix, cuts it.')]
  }
  const problem = `its last ${lost} can not be read`
  if (live.has(segment)) return [finding('damaged-journal', path, problem, NEXT_WRITE)]
  return [finding('damaged-past', path, problem, POORER)]
}

/** Within an epoch; a new one may go on with any higher number, and copies that came together again have several. */
function gaps(segments: readonly SegmentFacts[], live: ReadonlySet<SegmentFacts>): Finding[] {
  return grouped(segments, ({ header }) => header?.epoch ?? '').flatMap((ofEpoch) => {
    const numbers = ofEpoch.flatMap((segment) => segment.numbers.map((number) => ({ number, segment })))
    return numbers.flatMap(({ number, segment }, index) => {
      const last = numbers[index - 1]?.number
      if (last === undefined || number === last + 1) return []
      const problem = `change ${number} follows change ${last}`
      if (live.has(segment)) return finding('journal-gap', segment.path, problem, NEXT_WRITE)
      return finding('damaged-past', segment.path, problem, POORER)
    })
  })
}

function copied(live: ReadonlySet<SegmentFacts>, workspaceId: string): Finding[] {
  const me = thisProcess()
  const strangers = [...live].filter(
    ({ header, inode }) => header?.workspace === workspaceId && (header.host !== me.host || header.inode !== inode),
  )
  const [first] = strangers
  if (!first) return []
  const how = first.header?.host === me.host ? 'it was copied or restored' : 'it was written on another machine'
  return [finding('copied-journal', first.path, how, NEXT_WRITE)]
}
