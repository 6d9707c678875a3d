/** The options of writes that several commands share, from the command line to what the memory takes. */
import { InvalidError } from '../errors.ts'
import type { WriteOptions } from '../memory.ts'
import type { Arguments } from './arguments.ts'
import type { Option } from './command.ts'

export const EXPECT: Option = {
  name: 'expect',
  value: 'REV',
  about: 'write only if the entry is at this revision; "new": only if there is none',
}

export const SESSION: Option = { name: 'session', value: 'S', about: 'the session that it comes from' }

export function writeOptions(given: Arguments): WriteOptions {
  const [expect, session] = [given.one('expect'), given.one('session')]
  return {
    ...(expect === undefined ? {} : { expect: parseExpect(expect) }),
    ...(session === undefined ? {} : { session }),
  }
}

export function parseExpect(text: string): string | null {
  if (text === 'new') return null
  if (/^[0-9a-f]{16}$/.test(text)) return text
  throw new InvalidError('expect', `"${text}" is not a revision`, 'the 16 digits that "keepsake show" tells, or "new"')
}
