/**
 * Vectors across a purge, which removes everything derived: those of entries that are still there are put back, of every agent, and
 * nothing of what went. It is a courtesy: where it can't be done, or is cut short, they are made anew.
 */
import { type Scope, WORLD } from '../../model/entry.ts'
import type { Store } from '../../ports/store.ts'
import { EMBED_LEASE } from './meaning.ts'
import { ScopeVectors } from './scope-vectors.ts'

export interface KeptVectors {
  /** After the purge. */
  putBack(): Promise<void>
}

export async function keepVectors(store: Store, model: string): Promise<KeptVectors> {
  const there = (await store.scopes?.()) ?? (await store.heads()).map(({ scope }) => scope)
  const scopes = new Set<Scope>([WORLD, ...there])
  const kept: ScopeVectors[] = []
  for (const scope of scopes) {
    const vectors = new ScopeVectors(store, scope, model)
    await vectors.open()
    if (vectors.rows) kept.push(vectors)
  }
  return { putBack: () => putBack(store, kept) }
}

async function putBack(store: Store, kept: readonly ScopeVectors[]): Promise<void> {
  if (kept.length === 0) return
  const lease = await store.lease(EMBED_LEASE)
  if (!lease) return // who embeds at this moment has them, and writes all of them again
  try {
    const { cursor } = await store.feed('now')
    for (const vectors of kept) {
      const heads = await store.heads({ scopes: [vectors.scope] })
      vectors.retain(new Map(heads.map(({ id, revision }) => [id, revision])), cursor)
      await vectors.save()
    }
  } finally {
    await lease.release()
  }
}
