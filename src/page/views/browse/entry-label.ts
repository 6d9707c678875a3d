/** What people call an entry: its name, its key, or how it begins. */
import type { Entry } from '../../../model/entry.ts'

const MOST_CHARACTERS = 60

/** What a cut leaves of a character that takes two places, such as an emoji. */
const HALF_AT_END = /[\ud800-\udbff]$/

export function entryLabel({ name, key, content, kind }: Entry): string {
  if (name !== null) return name
  if (key !== undefined) return key
  const line = content
    .slice(0, 4 * MOST_CHARACTERS)
    .replace(HALF_AT_END, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (line === '') return `${kind} without text`
  const characters = Array.from(line)
  return characters.length <= MOST_CHARACTERS ? line : `${characters.slice(0, MOST_CHARACTERS).join('')}…`
}
