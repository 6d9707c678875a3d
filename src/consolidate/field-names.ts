/** The two fields that a reply is asked for, however a model spells their names. Pure. */

export type FieldName = 'historyEntry' | 'memoryUpdate'

/** As a part of a pattern, with the name in a group. */
export const NAME = '(history[ _-]?entry|memory[ _-]?update)'

export const QUOTED_KEY: RegExp = new RegExp(`["'“\`]${NAME}["'”\`]\\s{0,20}[:：=]`, 'i')
const QUOTED_KEY_HERE = new RegExp(QUOTED_KEY, 'iy')
const MEMORY_NAMES = /memory[ _-]?update/gi

/** `history_entry`, `historyEntry`, `History Entry`. */
export function fieldCalled(key: string): FieldName | undefined {
  const letters = lettersOf(key)
  if (letters === 'historyentry') return 'historyEntry'
  return letters === 'memoryupdate' ? 'memoryUpdate' : undefined
}

export function lettersOf(key: string): string {
  return key.toLowerCase().replace(/[^a-z]/g, '')
}

/** Whether a key of ours begins with the quote at this place. */
export function isFieldKeyAt(text: string, at: number): boolean {
  QUOTED_KEY_HERE.lastIndex = at
  return QUOTED_KEY_HERE.test(text)
}

/** Whether the memory's name stands in it more than once. */
export function namesMemoryAgain(text: string): boolean {
  return (text.match(MEMORY_NAMES)?.length ?? 0) > 1
}
