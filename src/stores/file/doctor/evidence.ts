/** What there is to look at: the file as it lies, whatever its state, what can be read of it, and the folder of its lock. */
import type { Stats } from 'node:fs'
import { type DecodedHeader, HEADER_BYTES } from '../../../codec/one-file/header.ts'
import { type ErrorCode, isKeepsakeError } from '../../../errors.ts'
import { type Finding, finding, saidOf } from '../../disk/doctor/finding.ts'
import { statFile } from '../../disk/reading.ts'
import { OneFile } from '../one-file.ts'
import { type Scanned, scanFrames } from './frame-scan.ts'
import { Remains, SAVE } from './remains.ts'

export interface FileEvidence {
  readonly path: string
  /** Missing: there is no file. */
  readonly stats?: Stats
  /** Missing: it is no file of ours, or can't be read at all. */
  readonly remains?: Remains
  /** What header and frames themselves show. */
  readonly findings: readonly Finding[]
}

/** Nothing in it could be saved. */
export function isHopeless({ remains }: FileEvidence): boolean {
  if (!remains) return false
  const { settings, entries, sessions, files, number } = remains
  return !settings && number === 0 && entries.size + sessions.size + files.size === 0
}

const CODES: Partial<Record<ErrorCode, Finding['code']>> = { FOREIGN: 'foreign-file', NEWER: 'newer-file' }

export function gatherEvidence(path: string, onProgress?: (done: number, total: number) => void): FileEvidence {
  const stats = statFile(path)
  if (!stats) return { path, findings: [] }
  let file: OneFile | undefined
  try {
    file = OneFile.open(path)
    if (!file) return { path, findings: [] }
    const header = headerOf(file)
    const remains = new Remains(file)
    const torn = readAll(file, remains, header.decoded, onProgress)
    return { path, stats, remains, findings: [...header.findings, ...torn, ...remains.losses] }
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    const code = CODES[error.code] ?? 'unreadable'
    return { path, stats, findings: [finding(code, '.', saidOf(error), error.hint ?? 'Check its owner and mode.')] }
  } finally {
    file?.release()
  }
}

/** A header that can't be read is a finding; a file of others, or of a newer version, is not ours to look into. */
function headerOf(file: OneFile): { readonly decoded?: DecodedHeader; readonly findings: readonly Finding[] } {
  try {
    const decoded = file.header()
    const { problem } = decoded
    if (problem === undefined) return { decoded, findings: [] }
    const hint = 'Nothing is lost: the other one counts, and the next write mends it.'
    return { decoded, findings: [finding('damaged-slot', '.', problem, hint)] }
  } catch (error) {
    if (!isKeepsakeError(error) || !(error.code === 'DAMAGED' || (error.code === 'FOREIGN' && holdsOurs(file))))
      throw error
    return { findings: [finding('damaged-header', '.', saidOf(error), SAVE)] }
  }
}

/** Its first bytes may be what is damaged: no other file has our settings behind them. */
function holdsOurs(file: OneFile): boolean {
  try {
    return file.frame(HEADER_BYTES).head.type === 'sett'
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return false
  }
}

/**
 * Puts every frame into the remains. What is not whole behind the acknowledged end is a crash's rest, and ends the file; unless the
 * newer of the two places that say where that is may be the damaged one: then it may have been acknowledged.
 */
function readAll(
  file: OneFile,
  remains: Remains,
  header: DecodedHeader | undefined,
  onProgress?: (done: number, total: number) => void,
): Finding[] {
  const size = file.size()
  const end = header?.slot.end
  for (const scanned of scanFrames(file, size)) {
    onProgress?.(scanned.at, size)
    if (end !== undefined && scanned.at >= end && header?.problem === undefined && !isWhole(scanned)) {
      const hint = 'Harmless: nobody was promised it. The next write cuts it off.'
      return [finding('torn-tail', '.', `a crash left ${size - scanned.at} bytes behind its end`, hint)]
    }
    remains.take(scanned)
  }
  if (end === undefined || size >= end) return []
  const { number } = header?.slot ?? { number: 0 }
  const missing = number > remains.number ? `; of ${number} changes ${remains.number} are left` : ''
  return [finding('cut-file', '.', `it ends at byte ${size}, and ${end} were written${missing}`, SAVE)]
}

function isWhole(scanned: Scanned): boolean {
  return scanned.is === 'frame' && scanned.isWhole
}
