/**
 * What the journal's files are like, segment by segment, and what the checkpoint says. Nothing here throws on what it
 * reads.
 */
import { relative } from 'node:path'
import type { JournalHeader, JournalPart } from '../../../codec/journal-record.ts'
import { isKeepsakeError, type KeepsakeError } from '../../../errors.ts'
import { statFile } from '../../disk/reading.ts'
import { type Checkpoint, readCheckpoint } from '../checkpoint.ts'
import type { Journal } from '../journal.ts'

export interface SegmentFacts {
  /** Names sort in the order of their making. */
  readonly name: string
  readonly path: string
  readonly header?: JournalHeader
  readonly inode: number
  readonly size: number
  /** Bytes of whole lines. */
  readonly length: number
  readonly rest: JournalPart['rest']
  readonly numbers: readonly number[]
  /** It is none of ours, or can't be read. */
  readonly error?: KeepsakeError
}

export interface JournalEvidence {
  readonly segments: readonly SegmentFacts[]
  readonly changes: number
  /** What was last added to a log, by path, unless the file was written as a whole after that. */
  readonly lastAppends: ReadonlyMap<string, string>
  /** Bases, which stand for what was cut off before their segments, that can't be read. */
  readonly brokenBases: readonly { readonly path: string; readonly error: KeepsakeError }[]
  readonly checkpoint: Checkpoint | 'missing' | 'damaged'
}

export function lookAtJournal(root: string, journal: Journal, stateFolder: string): JournalEvidence {
  const lastAppends = new Map<string, string>()
  const segments = namesOf(journal).map((name): SegmentFacts => {
    const path = relative(root, journal.pathOf(name))
    try {
      const part = journal.read(name, 0)
      if (part) noteAppends(part, lastAppends)
      return factsOf(name, path, part)
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      return { ...factsOf(name, path, undefined), error }
    }
  })
  const changes = segments.reduce((sum, { numbers }) => sum + numbers.length, 0)
  const brokenBases = segments.flatMap(({ name }) => brokenBase(root, journal, name) ?? [])
  return { segments, changes, lastAppends, brokenBases, checkpoint: lookAtCheckpoint(stateFolder) }
}

function namesOf(journal: Journal): string[] {
  try {
    return journal.segments()
  } catch (error) {
    if (isKeepsakeError(error)) return [] // the walk has said that the folder can't be read
    throw error
  }
}

function brokenBase(root: string, journal: Journal, name: string): JournalEvidence['brokenBases'][number] | undefined {
  try {
    if (journal.hasBase(name)) journal.readBase(name)
    return undefined
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return { path: relative(root, journal.basePathOf(name)), error }
  }
}

type PartRead = NonNullable<ReturnType<Journal['read']>>

function factsOf(name: string, path: string, part: PartRead | undefined): SegmentFacts {
  const first = part?.lines[0]
  return {
    name,
    path,
    ...(first && 'header' in first ? { header: first.header } : {}),
    inode: part?.inode ?? 0,
    size: part?.size ?? 0,
    length: part?.length ?? 0,
    rest: part?.rest ?? 'none',
    numbers: (part?.lines ?? []).flatMap((line) => ('record' in line ? line.record.number : [])),
  }
}

function noteAppends(part: JournalPart, lastAppends: Map<string, string>): void {
  for (const line of part.lines) {
    for (const file of 'record' in line ? line.record.files : []) {
      if ('append' in file) lastAppends.set(file.path, file.append)
      else lastAppends.delete(file.path)
    }
  }
}

function lookAtCheckpoint(stateFolder: string): JournalEvidence['checkpoint'] {
  try {
    const checkpoint = readCheckpoint(stateFolder)
    if (checkpoint) return checkpoint
    return statFile(`${stateFolder}/checkpoint`) ? 'damaged' : 'missing'
  } catch (error) {
    if (isKeepsakeError(error)) return 'damaged'
    throw error
  }
}
