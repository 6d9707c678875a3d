/** The entries that a query calls by their name: whoever types a name exactly means that one. */
import { isKeepsakeError } from '../errors.ts'
import { type Entry, WORLD } from '../model/entry.ts'
import { normalizeName } from '../model/name.ts'
import type { CallOptions, Store } from '../ports/store.ts'
import type { SearchRequest } from './request.ts'

export interface Exact {
  readonly id: string
  readonly by: 'name' | 'alias'
}

/** The agent's own before the world's, which it shadows: the first that the filters let through is the one that is meant. */
export async function exactEntries(
  store: Store,
  { text, scopes }: Pick<SearchRequest, 'text' | 'scopes'>,
  call: CallOptions,
): Promise<readonly Exact[]> {
  const name = nameIn(text)
  if (name === undefined) return []
  const ownFirst = [...scopes].sort((a, b) => Number(a === WORLD) - Number(b === WORLD))
  const entries = await Promise.all(ownFirst.map((scope) => store.resolve(scope, name, call)))
  return entries.flatMap((entry) => (entry ? [{ id: entry.id, by: called(entry, name) }] : []))
}

function called(entry: Entry, name: string): 'name' | 'alias' {
  return entry.name === name ? 'name' : 'alias'
}

/** Most queries are no name, and some could not be one. */
function nameIn(text: string): string | undefined {
  try {
    return normalizeName(text, 'query')
  } catch (error) {
    if (isKeepsakeError(error)) return undefined
    throw error
  }
}
