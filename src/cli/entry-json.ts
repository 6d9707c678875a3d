/** Entries and writes as JSON: the same keys in the same order from every command. */

import type { Written } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import { isLogged } from '../model/operation.ts'

export function entryJson(entry: Entry): object {
  const { id, seq, revision, scope, kind, name, key, aliases, description, content, metadata } = entry
  const { createdAt, updatedAt, expiresAt, origin, path } = entry
  return {
    id,
    seq,
    revision,
    scope,
    kind,
    name,
    ...(key === undefined ? {} : { key }),
    aliases,
    description,
    content,
    metadata,
    createdAt,
    updatedAt,
    expiresAt,
    origin,
    ...(path === undefined ? {} : { path }),
  }
}

export function writtenJson({ entry, change, replaced, warnings }: Written): object {
  return {
    entry: entryJson(entry),
    ...(change === undefined ? { unchanged: true } : isLogged(change) ? { change } : {}),
    ...(replaced === undefined ? {} : { replaced }),
    ...warningsJson(warnings),
  }
}

export function warningsJson(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings }
}
