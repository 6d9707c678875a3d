/**
 * The transcript that an event names. The path comes from outside: only a file is read, and nothing is waited for. One that is not
 * there is nothing to save: a session in which nothing was said has none. All else that keeps it from being saved is told.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { resolvePath } from '../../config/value-types.ts'
import { KeepsakeError } from '../../errors.ts'
import { isTranscriptOf, type Reading, readTranscript } from '../../session/import/index.ts'
import type { Asked } from '../command.ts'
import { eventFolder, type SessionOfClient } from './project-folder.ts'

/** Days of work. What is longer would take longer than a client waits. */
const MOST_BYTES = 134_217_728

/** `undefined` where nothing was said. */
export function transcriptOf({ client, event }: SessionOfClient, asked: Pick<Asked, 'cwd'>): Reading | undefined {
  const { transcriptPath: called } = event
  if (called === undefined) return undefined
  const path = resolvePath(called, /^~?\//.test(called) ? '/' : eventFolder(event, asked))
  const text = textOf(path)
  if (text === undefined || !/\S/.test(text)) return undefined
  const reading = readTranscript(text, client)
  if (reading.turns.length > 0) return reading
  if (isTranscriptOf(client, text)) return undefined
  throw unread(path, `is no transcript of ${client}`)
}

function textOf(path: string): string | undefined {
  const file = opened(path)
  if (file === undefined) return undefined
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw unread(path, 'is no file')
    if (stats.size > MOST_BYTES) throw unread(path, `has ${stats.size} bytes, and at most ${MOST_BYTES} are saved`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number | undefined {
  try {
    // A pipe that nobody writes to would be waited for.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException // what node:fs throws
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unread(path, `can't be read: ${message}`, cause)
  }
}

function unread(path: string, problem: string, cause?: unknown): KeepsakeError {
  return new KeepsakeError('IO', `the transcript is not saved: ${path} ${problem}`, {
    hint: 'Save it with "keepsake session import FILE".',
    data: { path },
    cause,
  })
}
