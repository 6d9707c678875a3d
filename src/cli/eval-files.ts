/** The files of `keepsake eval`: data and saved runs. What is there already is never overwritten. */
import { existsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { InvalidError, KeepsakeError } from '../errors.ts'
import { type EvalSet, parseDataset } from '../eval/dataset.ts'
import type { Run } from '../eval/run.ts'
import { parseRuns, writeRuns } from '../eval/saved-runs.ts'
import { namedFile } from './named-file.ts'

/** `called`: as the person named it. */
export function readDataset(path: string, called: string): EvalSet {
  return parseDataset(textOf(path, called), called)
}

export function readRuns(path: string, called: string): readonly Run[] {
  return parseRuns(textOf(path, called), called)
}

/** Asked before the work, so that the work is not lost. */
export function requireNewFile(path: string): void {
  if (existsSync(path)) throw alreadyThere(path)
  if (!existsSync(dirname(path))) {
    throw new InvalidError('save', `there is no folder ${dirname(path)}`, 'a new file in a folder that is there')
  }
}

export function saveRuns(path: string, runs: readonly Run[]): void {
  try {
    writeFileSync(path, writeRuns(runs), { flag: 'wx' })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException // what node:fs throws
    if (code === 'EEXIST') throw alreadyThere(path)
    throw new KeepsakeError('IO', `${path} can't be written: ${message}`, {
      hint: 'Name a file in a folder that you may write to.',
      data: { path },
      cause,
    })
  }
}

function alreadyThere(path: string): KeepsakeError {
  return new InvalidError('save', `${path} is there already`, 'the name of a new file')
}

function textOf(path: string, called: string): string {
  const bytes = namedFile(path, called)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidError('FILE', `${called} is not UTF-8`, 'text in UTF-8')
  }
}
