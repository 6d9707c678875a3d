/** The bytes of a file that a person named, or the reason why not. */
import { readFileSync } from 'node:fs'
import { InvalidError, KeepsakeError } from '../errors.ts'

/** `called`: as the person named it. */
export function namedFile(path: string, called: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException // what node:fs throws
    if (code === 'ENOENT') {
      throw new KeepsakeError('NOT_FOUND', `there is no file ${called}`, { hint: 'Check the path.', data: { path } })
    }
    if (code === 'EISDIR') throw new InvalidError('FILE', `${called} is a folder`, 'a file')
    throw new KeepsakeError('IO', `${called} can't be read: ${message}`, {
      hint: 'Check its mode.',
      data: { path },
      cause,
    })
  }
}
