/**
 * Pages: topics, MEMORY.md and the identity. The text is the entry; front matter only where there is something to say
 * that the path does not. A bare page (MEMORY.md, the identity) is text and nothing else, whatever it starts with.
 */
import { stripFinalNewlines } from '../model/content.ts'
import { parseDescribed, refuseUnstorable, type Shape, serializeDescribed } from './described-text.ts'
import type { FileEntry, ParseYaml } from './file-entry.ts'

export interface PageOptions {
  readonly bare: boolean
}

const PAGE: Shape = { kinds: [], unclosed: 'content' }

/** Throws BrokenText. */
export function parsePage(text: string, yaml: ParseYaml, options: PageOptions = { bare: false }): FileEntry {
  if (!options.bare) return parseDescribed(text, yaml, PAGE)
  refuseUnstorable(text)
  return { aliases: [], description: '', metadata: {}, content: stripFinalNewlines(text) }
}

/** Of the entry only name, id, aliases, description, metadata and content are written, and of a bare page the content. */
export function serializePage(
  entry: FileEntry,
  previous: string | undefined,
  yaml: ParseYaml,
  options: PageOptions,
): string {
  if (!options.bare) return serializeDescribed(entry, previous, yaml, PAGE)
  const content = stripFinalNewlines(entry.content)
  if (previous !== undefined && stripFinalNewlines(previous) === content) return previous
  return content === '' ? '' : `${content}\n`
}
