/** What an agent can see, without the texts: the world's and its own, nothing expired. */
import type { Memory } from '../memory.ts'
import { type EntryHead, WORLD } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import type { Kind } from '../model/kinds.ts'
import { instant } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'

export async function visibleHeads(
  { store, agent, clock }: Memory,
  options: CallOptions & { readonly kinds?: readonly Kind[] } = {},
): Promise<readonly EntryHead[]> {
  const { kinds, ...more } = options
  const heads = await store.heads({ scopes: [WORLD, agent], ...(kinds ? { kinds } : {}) }, more)
  const now = instant(clock())
  return heads.filter((head) => !isExpired(head, now))
}
