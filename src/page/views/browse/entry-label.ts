/** What people call an entry: its name, its key, or how it begins. */
import type { Entry } from '../../../model/entry.ts'

const MOST_CHARACTERS = 60

export function entryLabel({ name, key, content, kind }: Entry): string {
  if (name !== null) return name
  if (key !== undefined) return key
  const line = content
    .slice(0, 4 * MOST_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim()
  if (line === '') return `${kind} without text`
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS)}…`
}
