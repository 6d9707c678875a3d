/** From one state of an entry to another: what must be done to it. Pure. */
import type { Entry } from '../model/entry.ts'
import type { AddOperation, Operation } from '../model/operation.ts'

/** The operations that make `now` what `target` says. */
export function operationsTo(now: Entry | undefined, target: Entry | undefined): Operation[] {
  if (!target) return now ? [{ op: 'remove', id: now.id }] : []
  if (!now) return [addOf(target)]
  if (now.kind !== target.kind || now.scope !== target.scope) return [{ op: 'remove', id: now.id }, addOf(target)]
  const { id } = target
  const renamed = target.name !== null && now.name !== target.name
  // A rename leaves the old name behind as an alias.
  const aliases = renamed ? [...now.aliases.filter((alias) => alias !== target.name), now.name ?? ''] : now.aliases
  const dropped = aliases.filter((alias) => !target.aliases.includes(alias))
  const bound = target.aliases.filter((alias) => !aliases.includes(alias))
  const patch = {
    ...(now.content === target.content ? {} : { content: target.content }),
    ...(now.description === target.description ? {} : { description: target.description }),
    ...(JSON.stringify(now.metadata) === JSON.stringify(target.metadata) ? {} : { metadata: target.metadata }),
    ...(now.expiresAt === target.expiresAt ? {} : { expiresAt: target.expiresAt }),
  }
  const operations: Operation[] = [
    ...(renamed ? [{ op: 'rename', id, name: target.name ?? '' } as const] : []),
    ...dropped.map((alias) => ({ op: 'alias', id, alias, mode: 'drop' }) as const),
    ...bound.map((alias) => ({ op: 'alias', id, alias }) as const),
    ...(Object.keys(patch).length === 0 ? [] : [{ op: 'write', id, ...patch } as const]),
  ]
  // Only its times and origin differ, and no operation sets those: the entry is removed and added again.
  if (operations.length === 0 && now.path === target.path) return [{ op: 'remove', id }, addOf(target)]
  return operations
}

function addOf({ revision: _, path: __, ...fields }: Entry): AddOperation {
  return { op: 'add', ...fields }
}
