/** The transcript of a client as text. The path comes from outside: only a file is read, and nothing is waited for. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { KeepsakeError } from '../../errors.ts'

/** Days of work. What is longer would take longer than a client waits. */
const MOST_BYTES = 134_217_728

/** `undefined` where there is no such file: a session in which nothing was said has none. */
export function readTranscriptFile(path: string): string | undefined {
  const file = opened(path)
  if (file === undefined) return undefined
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return undefined
    if (stats.size > MOST_BYTES) throw tooLong(stats.size)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number | undefined {
  try {
    // A pipe that nobody writes to would be waited for.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

function tooLong(bytes: number): KeepsakeError {
  return new KeepsakeError('UNSUPPORTED', `the transcript has ${bytes} bytes, and at most ${MOST_BYTES} are saved`, {
    hint: 'Begin a new session.',
  })
}
