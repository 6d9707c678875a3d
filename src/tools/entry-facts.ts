/** What a result says about an entry without its text: which one it is, where, and at which revision. */
import type { EntryHead, JsonValue } from '../model/entry.ts'

/** What to call it in a sentence: `the note "Deploys"`, `MEMORY.md`, `the experience 0197…`. */
export function labelOf({ kind, name, key, id }: EntryHead): string {
  if (kind === 'memory') return 'MEMORY.md'
  if (kind === 'identity') return 'the identity'
  const called = name ?? key
  return called === undefined ? `the ${kind} ${id}` : `the ${kind} "${called}"`
}

export function factsOf(entry: EntryHead): { readonly [key: string]: JsonValue } {
  const { id, kind, name, key, path, revision, expiresAt } = entry
  return {
    id,
    kind,
    name: name ?? key ?? null,
    ...(path === undefined ? {} : { path }),
    revision,
    ...(expiresAt === null ? {} : { expiresAt }),
  }
}

/** The same, a line each. */
export function factLines({ id, path, revision, expiresAt }: EntryHead, replaced?: string): string[] {
  return [
    `id: ${id}`,
    ...(path === undefined ? [] : [`file: ${path}`]),
    `revision: ${revision}${replaced === undefined || replaced === revision ? '' : ` (was ${replaced})`}`,
    ...(expiresAt === null ? [] : [`expires: ${expiresAt}`]),
  ]
}
