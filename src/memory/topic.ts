/** Which topic a name means. Whoever reads and whoever writes asks here, so that what was read is what is rewritten. */
import { type Entry, WORLD } from '../model/entry.ts'
import { spelling } from '../model/name.ts'
import { oneQuestion } from '../model/one-question.ts'
import type { CallOptions, Store } from '../ports/store.ts'

/** The topic of this name or alias, else the only one that differs just in case, dashes and blanks. */
export async function topicCalled(store: Store, name: string, asked: CallOptions): Promise<Entry | undefined> {
  const options = oneQuestion(asked)
  const exact = await store.resolve(WORLD, name, options)
  if (exact) return exact
  const heads = await store.heads({ scopes: [WORLD], kinds: ['topic'] }, options)
  const alike = heads.filter((head) =>
    [head.name ?? '', ...head.aliases].some((other) => spelling(other) === spelling(name)),
  )
  return alike.length === 1 && alike[0] ? store.get(alike[0].id, options) : undefined
}
