/** What is completed from the memory itself: names of entries and keys of sessions. Heads only, for no text is wanted. */
import type { Memory } from '../memory.ts'
import { type EntryHead, WORLD } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import type { HeadFilter } from '../model/filter.ts'
import { instant } from '../model/time.ts'
import { Arguments } from './arguments.ts'
import { contextFor } from './context.ts'

export interface Candidate {
  readonly value: string
  /** Shown beside it where a shell can. */
  readonly about?: string
}

/** The options that were given, which say where the memory is. */
type Values = ReadonlyMap<string, readonly string[]>

export function entryNames(values: Values): Promise<readonly Candidate[]> {
  return fromMemory(values, (memory) => namesOf(memory, { scopes: [WORLD, memory.agent] }))
}

export function topicNames(values: Values): Promise<readonly Candidate[]> {
  return fromMemory(values, (memory) => namesOf(memory, { scopes: [WORLD], kinds: ['topic'] }))
}

/** Archives with a rewrite of MEMORY.md that waits for review. */
export function reviewNames(values: Values): Promise<readonly Candidate[]> {
  return fromMemory(values, async (memory) => {
    const { reviews } = await import('../consolidate/reviews.ts')
    return (await reviews(memory)).map(({ name, reason }) => ({ value: name, about: reason }))
  })
}

/** The newest first: one goes on with these. */
export function sessionKeys(values: Values): Promise<readonly Candidate[]> {
  return fromMemory(values, async ({ store, agent }) => {
    const sessions = await store.sessions.list(agent)
    const newest = sessions.toSorted((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? 1 : -1))
    return newest.map(({ key, createdAt }) => ({
      value: key,
      about: createdAt === null ? 'since when is not known' : `since ${createdAt.slice(0, 10)}`,
    }))
  })
}

async function fromMemory(
  values: Values,
  look: (memory: Memory) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  const { context, close } = contextFor(new Arguments([], values))
  try {
    return await look((await context.open('glance')).memory)
  } finally {
    await close()
  }
}

/** Names first, then aliases. */
async function namesOf({ store }: Memory, filter: HeadFilter): Promise<readonly Candidate[]> {
  const now = instant(Date.now())
  const isThere = (head: EntryHead): boolean => head.name !== null && !isExpired(head, now)
  const there = (await store.heads(filter)).filter(isThere)
  const names = there.map(({ name, kind }) => ({ value: name ?? '', about: kind }))
  const aliases = there.flatMap((head) =>
    head.aliases.map((value) => ({ value, about: `${head.kind} "${head.name}"` })),
  )
  return [...inOrder(names), ...inOrder(aliases)]
}

function inOrder(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.toSorted((a, b) => (a.value < b.value ? -1 : 1))
}
