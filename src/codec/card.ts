/**
 * Cards: notes, facts and archives, one a file. Front matter, a blank line, the text; keys in our order when we add them.
 * A card without front matter is valid: its name comes from its file.
 */
import { parseDescribed, type Shape, serializeDescribed } from './described-text.ts'
import type { FileEntry, ParseYaml } from './file-entry.ts'

const CARD: Shape = { kinds: ['note', 'fact', 'archive'], unclosed: 'broken' }

/** Throws BrokenText. */
export function parseCard(text: string, yaml: ParseYaml): FileEntry {
  return parseDescribed(text, yaml, CARD)
}

export function serializeCard(entry: FileEntry, previous: string | undefined, yaml: ParseYaml): string {
  return serializeDescribed(entry, previous, yaml, CARD)
}
