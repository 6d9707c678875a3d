/**
 * The addresses of what an agent can read as a resource: its memory, a topic of the world, an entry by name. Own code, not
 * the URL class: that would take `..` and `.` out of a name. Nothing here says whether there is such a thing.
 */
import { isKeepsakeError } from '../errors.ts'
import type { EntryHead } from '../model/entry.ts'
import { KINDS } from '../model/kinds.ts'
import { normalizeName } from '../model/name.ts'

export const MEMORY_URI = 'keepsake://memory'
export const WORLD_TEMPLATE = 'keepsake://world/{topic}'
export const ENTRY_TEMPLATE = 'keepsake://entry/{name}'

const WORLD_PREFIX = 'keepsake://world/'
const ENTRY_PREFIX = 'keepsake://entry/'

export type Addressed = { readonly is: 'memory' } | { readonly is: 'topic' | 'entry'; readonly name: string }

/** `undefined`: no address of ours. A slash that is not encoded belongs to the name, for many clients leave it so. */
export function parseResourceUri(uri: string): Addressed | undefined {
  if (uri === MEMORY_URI) return { is: 'memory' }
  if (uri.startsWith(WORLD_PREFIX)) return named('topic', uri.slice(WORLD_PREFIX.length))
  if (uri.startsWith(ENTRY_PREFIX)) return named('entry', uri.slice(ENTRY_PREFIX.length))
  return undefined
}

/** The same address as it is written here, whatever its percent signs; `undefined` when it is none of ours. */
export function canonicalUri(uri: string): string | undefined {
  const addressed = parseResourceUri(uri)
  if (!addressed) return undefined
  if (addressed.is === 'memory') return MEMORY_URI
  return addressed.is === 'topic' ? topicUri(addressed.name) : entryUri(addressed.name)
}

/** As what it is listed; `undefined` for what is not, such as entries of a log. */
export function listedAs({ kind, name }: Pick<EntryHead, 'kind' | 'name'>): 'topic' | 'entry' | undefined {
  if (name === null) return undefined
  if (kind === 'topic') return 'topic'
  return KINDS[kind].shape === 'card' ? 'entry' : undefined
}

/** The one address under which it is listed. */
export function listedUri(head: Pick<EntryHead, 'kind' | 'name'>): string | undefined {
  const is = listedAs(head)
  if (is === undefined || head.name === null) return undefined
  return is === 'topic' ? topicUri(head.name) : entryUri(head.name)
}

/** Every address that leads to it. */
export function urisOf(head: Pick<EntryHead, 'id' | 'kind' | 'name' | 'aliases'>): readonly string[] {
  const { id, kind, name, aliases } = head
  const names = name === null ? [] : [name, ...aliases]
  return [
    ...(kind === 'memory' ? [MEMORY_URI] : []),
    ...(kind === 'topic' ? names.map(topicUri) : []),
    ...[...names, id].map(entryUri),
  ]
}

function topicUri(name: string): string {
  return `${WORLD_PREFIX}${encodeURIComponent(name)}`
}

function entryUri(name: string): string {
  return `${ENTRY_PREFIX}${encodeURIComponent(name)}`
}

function named(is: 'topic' | 'entry', encoded: string): Addressed | undefined {
  try {
    return { is, name: normalizeName(decodeURIComponent(encoded)) }
  } catch (error) {
    if (error instanceof URIError || isKeepsakeError(error)) return undefined
    throw error
  }
}
