/** A file where none was: made whole beside its place, then given its name in one step, which fails if somebody was faster. */
import { linkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { encodeSettings } from '../../codec/one-file/settings.ts'
import { KeepsakeError } from '../../errors.ts'
import type { Settings } from '../../ports/store.ts'
import { statFile } from '../disk/reading.ts'
import { isWithoutLinks } from '../disk/second-name.ts'
import { attempt, codeOf, removeFile, syncFolder } from '../disk/system.ts'
import { FileBuilder } from './file-builder.ts'

/** What the file of a move is called until it is whole: it stays, for the next try. */
export const MOVING = 'moving-'

export function isUnfinishedMove(name: string): boolean {
  return name.startsWith(MOVING)
}

/** Files that only a crash leaves: whoever holds the lock may remove them. */
export function isTemporary(name: string): boolean {
  return /^(fold|new)-/.test(name)
}

/** With settings, and nothing else yet. */
export async function buildEmpty(temporary: string, settings: Settings, epoch: string): Promise<void> {
  const builder = new FileBuilder(temporary)
  try {
    builder.append('sett', encodeSettings(settings))
    await builder.finish({
      epoch,
      number: 0,
      nextSeq: 1,
      firstOfEpoch: 1,
      contested: [],
      bases: [],
      files: [],
      derived: [],
      heads: [],
      placeOf: () => ({ offset: 0, length: 0, crc: 0 }),
      changes: [],
      sessions: [],
    })
  } finally {
    builder.close()
  }
}

/** Durable when it returns. CONFLICT when something is there. */
export async function putInPlace(temporary: string, path: string): Promise<void> {
  giveName(temporary, path)
  await syncFolder(dirname(path))
}

/** The same, but for the sync of the folder. */
export function giveName(temporary: string, path: string): void {
  attempt('writing', path, () => {
    try {
      linkSync(temporary, path)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw occupied(path)
      if (!isWithoutLinks(error)) throw error
      if (statFile(path)) throw occupied(path)
      renameSync(temporary, path)
    }
  })
  removeFile(temporary)
}

export function occupied(path: string): KeepsakeError {
  return new KeepsakeError('CONFLICT', `${path} is there already`, {
    hint: 'Nothing was written. Name a file that is not there yet, or move this one away.',
    data: { path },
  })
}
