/**
 * Where a fact without a name belongs. It goes by its first words, or by the field of the user's profile that it tells: so it is
 * found without a look at all the others, and who stores the same one at the same moment meets it there. The same text with other
 * metadata is another fact. Reading only.
 */
import type { Entry, Metadata } from '../model/entry.ts'
import { canonicalJson } from '../model/json.ts'
import { nameFromContent } from '../model/name.ts'
import { oneQuestion } from '../model/one-question.ts'
import { digest16 } from '../model/revision.ts'
import type { CallOptions } from '../ports/store.ts'
import type { View } from './view.ts'

export interface Fact {
  /** Normalised, so that it can be compared. */
  readonly content: string
  readonly metadata: Metadata
}

export interface FactPlace {
  /** The fact that this one replaces: of the same profile field, or with the same text and metadata. */
  readonly same?: Entry
  /** A name that it may have. Missing: all that it could have are taken. */
  readonly free?: string
}

/** Of a profile's field in a name; two that begin alike for so long are told apart by a digest. */
const MOST_IN_NAME = 100

export async function factPlace(view: View, fact: Fact, asked: CallOptions): Promise<FactPlace> {
  const call = oneQuestion(asked)
  const field = profileField(fact.metadata)
  const named = await placeByName(view, fact, field, call)
  if (named.same || field === undefined) return named
  // One that came by another way has a name of its own.
  const facts = await view.heads({ scopes: [view.agent], kinds: ['fact'] }, call)
  const head = facts.findLast(({ metadata }) => profileField(metadata) === field)
  const same = head && (await view.get(head.id, call))
  return same ? { same } : named
}

async function placeByName(view: View, fact: Fact, field: string | undefined, call: CallOptions): Promise<FactPlace> {
  let free: string | undefined
  for (const name of namesOf(fact, field)) {
    const owner = await view.own(name, call)
    if (!owner) free ??= name
    else if (owner.kind === 'fact' && factIdentity(owner) === factIdentity(fact)) return { same: owner }
  }
  return free === undefined ? {} : { free }
}

/** The second is for what begins as another does; no third one has its digest. */
function namesOf(fact: Fact, field: string | undefined): readonly string[] {
  const name = field === undefined ? nameFromContent(fact.content) : profileName(field)
  return [name, `${name} (${digest16(factIdentity(fact)).slice(0, 8)})`]
}

/** Equal for two versions of one fact. No content contains NUL, so facts with and without metadata never collide. */
function factIdentity({ content, metadata }: Fact): string {
  if (Object.keys(metadata).length === 0) return content
  return `\0${profileField(metadata) ?? canonicalJson([content, metadata])}`
}

function profileField(metadata: Metadata): string | undefined {
  if (metadata['category'] !== 'user_profile') return undefined
  const field = Object.hasOwn(metadata, 'field') ? metadata['field'] : undefined
  return typeof field === 'string' && field.trim() !== '' ? field.trim() : undefined
}

function profileName(field: string): string {
  const line = field.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return `user profile: ${[...line].slice(0, MOST_IN_NAME).join('')}`
}
