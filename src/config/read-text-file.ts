/** A file of configuration as text, or the reason why not. Links are not followed, and nothing is waited for. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { InvalidError, KeepsakeError } from '../errors.ts'

/** Far more than anyone writes by hand. */
const MOST_BYTES = 1_048_576

const ALLOWED = 'a text file in UTF-8, of at most 1 MB, that is no link'

export function readTextFile(path: string): string {
  const file = opened(path)
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw new InvalidError(path, 'this is a folder', ALLOWED)
    if (!stats.isFile()) throw new InvalidError(path, 'this is not a file', ALLOWED)
    if (stats.size > MOST_BYTES) throw new InvalidError(path, `this has ${stats.size} bytes`, ALLOWED)
    return decoded(path, readFileSync(file))
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number {
  try {
    // A pipe that nobody writes to would be waited for.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // what node:fs throws
    if (code === 'ENOENT') throw new InvalidError(path, 'there is no such file', ALLOWED)
    if (code === 'ELOOP') throw new InvalidError(path, 'this is a link, and links are not followed', ALLOWED)
    throw new KeepsakeError('IO', `${path} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: 'Check its owner and mode, or name another file with --config.',
      data: { path },
      cause,
    })
  }
}

function decoded(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidError(path, 'this is not UTF-8', ALLOWED)
  }
}
