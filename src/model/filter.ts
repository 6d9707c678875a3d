/** Which entries are meant, by what stands in their heads. Everything that is given must hold. */
import type { EntryHead, Scope } from './entry.ts'
import type { Kind } from './kinds.ts'

export interface HeadFilter {
  /** Only these. */
  readonly ids?: ReadonlySet<string>
  readonly scopes?: readonly Scope[]
  readonly kinds?: readonly Kind[]
  /** On `createdAt`: from this instant on. */
  readonly since?: string
  /** On `createdAt`: before this instant. */
  readonly until?: string
}

export function matchesHead(head: EntryHead, { ids, scopes, kinds, since, until }: HeadFilter): boolean {
  return (
    (!ids || ids.has(head.id)) &&
    (!scopes || scopes.includes(head.scope)) &&
    (!kinds || kinds.includes(head.kind)) &&
    (since === undefined || head.createdAt >= since) &&
    (until === undefined || head.createdAt < until)
  )
}
