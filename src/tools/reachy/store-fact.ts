/**
 * A fact is stored under a name made of its first words, or of the field of the user's profile that it tells: so it is found
 * without a look at all the others, and who stores the same one at the same moment meets it there.
 */
import { isKeepsakeError } from '../../errors.ts'
import type { Memory, WriteOptions } from '../../memory.ts'
import type { Entry, EntryHead, Metadata } from '../../model/entry.ts'
import { nameFromContent } from '../../model/name.ts'
import { digest16 } from '../../model/revision.ts'
import type { CallOptions } from '../../ports/store.ts'

export interface Fact {
  /** Normalised, so that it can be compared. */
  readonly content: string
  readonly metadata: Metadata | undefined
}

export interface Stored {
  readonly entry: Entry
  readonly warnings: readonly string[]
}

/** Each time that this one comes too late, another one has written. */
const MOST_RACES = 100
/** Of a profile's field in a name; two that begin alike for so long are told apart by their metadata. */
const MOST_IN_NAME = 100

export async function storeFact(memory: Memory, fact: Fact, options: WriteOptions): Promise<Stored> {
  for (let tries = 1; ; tries++) {
    try {
      return await storeOnce(memory, fact, options)
    } catch (error) {
      if (!isRace(error) || tries >= MOST_RACES) throw error
    }
  }
}

/** Fails when someone else was quicker, by what it expects. */
async function storeOnce(memory: Memory, { content, metadata }: Fact, options: WriteOptions): Promise<Stored> {
  const { same, free } = await place(memory, { content, metadata }, options)
  if (same) return rewrite(memory, same, { content, metadata }, options)
  return memory.remember(content, {
    ...options,
    kind: 'fact',
    ...(metadata === undefined ? {} : { metadata }),
    ...(free === undefined ? {} : { name: free, expect: null }),
  })
}

/** What is known about it stays, but for what is said anew. */
async function rewrite(memory: Memory, same: EntryHead, fact: Fact, options: WriteOptions): Promise<Stored> {
  const { id, revision } = same
  const { signal, session } = options
  const { entries, warnings } = await memory.apply(
    [{ op: 'write', id, content: fact.content, metadata: { ...same.metadata, ...fact.metadata } }],
    {
      ...(signal ? { signal } : {}),
      origin: { by: 'agent', agent: memory.agent, ...(session === undefined ? {} : { session }) },
      expect: { [id]: revision },
    },
  )
  const [entry] = entries
  if (!entry) throw new Error('unreachable: a batch that was applied touched an entry')
  return { entry, warnings }
}

function isRace(error: unknown): boolean {
  return isKeepsakeError(error) && ['CONFLICT', 'NAME_TAKEN', 'NOT_FOUND'].includes(error.code)
}

interface Place {
  /** The fact that this one takes the place of: the same field's, or the same words. */
  readonly same?: EntryHead
  /** A name that it may have. Missing: all that it could have are taken. */
  readonly free?: string
}

async function place(memory: Memory, fact: Fact, call: CallOptions): Promise<Place> {
  const field = profileField(fact.metadata)
  const named = await placeByName(memory, fact, field, call)
  if (named.same || field === undefined) return named
  // One that came by another way has a name of its own.
  const facts = await memory.heads({ scopes: [memory.agent], kinds: ['fact'] }, call)
  const same = facts.findLast(({ metadata }) => profileField(metadata) === field)
  return same ? { same } : named
}

async function placeByName(memory: Memory, fact: Fact, field: string | undefined, call: CallOptions): Promise<Place> {
  let free: string | undefined
  for (const name of field === undefined ? namesOf(fact.content) : [profileName(field)]) {
    const held = await memory.store.resolve(memory.agent, name, call)
    const owner = held && (await memory.get(held.id, call))
    if (!owner) free ??= name
    else if (owner.kind === 'fact' && profileField(owner.metadata) === field) {
      if (field !== undefined || owner.content === fact.content) return { same: owner }
    }
  }
  return free === undefined ? {} : { free }
}

/** The second is for a fact whose first words are another's too; no third one has its digest. */
function namesOf(content: string): readonly string[] {
  const name = nameFromContent(content)
  return [name, `${name} (${digest16(content).slice(0, 8)})`]
}

function profileField(metadata: Metadata = {}): string | undefined {
  if (metadata['category'] !== 'user_profile') return undefined
  const field = Object.hasOwn(metadata, 'field') ? metadata['field'] : undefined
  return typeof field === 'string' && field.trim() !== '' ? field.trim() : undefined
}

function profileName(field: string): string {
  const line = field.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return `user profile: ${[...line].slice(0, MOST_IN_NAME).join('')}`
}
