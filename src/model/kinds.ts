/**
 * The ten kinds and all their rules, as one table. Whatever differs by kind is a column here, not a branch elsewhere.
 */
import { InvalidError } from '../errors.ts'

export type Kind =
  | 'topic'
  | 'memory'
  | 'identity'
  | 'note'
  | 'fact'
  | 'archive'
  | 'experience'
  | 'history'
  | 'conversation'
  | 'context'

export interface KindRule {
  /** Where it lives: shared by all agents, or one agent's own. */
  readonly scope: 'world' | 'agent'
  /** The shape of its file: the text alone, front matter and text, or one of many under a heading. */
  readonly shape: 'page' | 'card' | 'log'
  /** The folder of its files, or for pages that exist once the file itself. */
  readonly place:
    | { readonly folder: string; readonly by: 'slug' | 'day' }
    | { readonly file: string }
    | { readonly monthly: string; readonly mirror: string }
  /** `given`: a page or card with a name; `fixed`: there is one a scope; `none`: addressed by id; `key`: by key. */
  readonly naming: 'given' | 'fixed' | 'none' | 'key'
  readonly fixedName?: string
  /** How `remember` treats an existing one. Operations themselves may touch any entry (undo and hand edits must). */
  readonly rewritten: 'yes' | 'gated' | 'no' | 'append' | 'by key'
  /** Life when nothing else is said; `day-end` is the start of the next day in the workspace's zone. */
  readonly expires: 'never' | 'day-end' | { readonly days: number }
  /** Whether a single entry may be given a life of its own (`ttl`). */
  readonly ttl: boolean
  /** Whether the file has room for aliases, description and metadata. */
  readonly attributes: boolean
}

const card: Omit<KindRule, 'rewritten'> = {
  scope: 'agent',
  shape: 'card',
  place: { folder: 'entries', by: 'slug' },
  naming: 'given',
  expires: 'never',
  ttl: true,
  attributes: true,
}

const log: Omit<KindRule, 'place'> = {
  scope: 'agent',
  shape: 'log',
  naming: 'none',
  rewritten: 'append',
  expires: 'never',
  ttl: true,
  attributes: true,
}

const page: Omit<KindRule, 'scope' | 'place' | 'naming' | 'attributes'> = {
  shape: 'page',
  rewritten: 'yes',
  expires: 'never',
  ttl: false,
}

export const KINDS: Readonly<Record<Kind, KindRule>> = {
  topic: { ...page, scope: 'world', place: { folder: 'world', by: 'slug' }, naming: 'given', attributes: true },
  memory: {
    ...page,
    scope: 'agent',
    place: { file: 'MEMORY.md' },
    naming: 'fixed',
    fixedName: 'MEMORY',
    attributes: false,
  },
  identity: {
    ...page,
    scope: 'agent',
    place: { file: 'IDENTITY.md' },
    naming: 'fixed',
    fixedName: 'IDENTITY',
    rewritten: 'gated',
    attributes: false,
  },
  note: { ...card, rewritten: 'yes' },
  fact: { ...card, rewritten: 'yes' },
  archive: { ...card, rewritten: 'no' },
  experience: { ...log, place: { folder: 'daily', by: 'day' } },
  history: { ...log, place: { monthly: 'HISTORY-', mirror: 'HISTORY.md' } },
  conversation: { ...log, place: { folder: 'conversation', by: 'day' }, expires: { days: 30 } },
  context: {
    ...log,
    place: { folder: 'context', by: 'day' },
    naming: 'key',
    rewritten: 'by key',
    expires: 'day-end',
  },
}

export const KIND_NAMES: readonly Kind[] = Object.keys(KINDS) as Kind[] // the table's keys are the union, by its type

export function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(KINDS, value)
}

export function parseKind(value: unknown): Kind {
  if (isKind(value)) return value
  throw new InvalidError('kind', `"${String(value)}" is not a kind`, KIND_NAMES.join(', '))
}

/** For messages: `a note`, `an archive`. */
export function aKind(kind: Kind): string {
  return /^[aei]/.test(kind) ? `an ${kind}` : `a ${kind}`
}
