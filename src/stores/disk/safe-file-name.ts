/**
 * A file name for any text: everything but `[a-z0-9._-]` percent-encoded, a long one cut and told apart by a hash. Texts that
 * differ never share a name, and none is a path.
 */
import { InvalidError } from '../../errors.ts'
import { sha256Hex } from './sha256.ts'

const MAX_NAME_BYTES = 120

export function safeFileName(text: string, field: string): string {
  if (typeof text !== 'string' || text === '' || !text.isWellFormed()) {
    throw new InvalidError(field, 'is empty or broken text', 'any text that is not empty')
  }
  let name = ''
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte)
    name += /[a-z0-9._-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  // A leading dot would hide the file, or be `..`.
  const safe = name.startsWith('.') ? `%2E${name.slice(1)}` : name
  if (safe.length <= MAX_NAME_BYTES) return safe
  const hash = sha256Hex(text).slice(0, 16)
  return `${safe.slice(0, MAX_NAME_BYTES - hash.length - 1)}~${hash}`
}

/** The text that a name may have been made of; `undefined` where a part was cut, or where it was not made here. */
export function textOfFileName(name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}
