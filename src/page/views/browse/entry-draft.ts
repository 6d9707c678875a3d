/**
 * An entry as its editor holds it, all as text, and what of it is to be written. Only what somebody changed is: so two people who changed
 * different things both keep theirs. Pure.
 */
import type { EntryPatch, NewEntry } from '../../../api/contract.ts'
import type { Entry, Metadata } from '../../../model/entry.ts'
import { KINDS } from '../../../model/kinds.ts'
import { instantOfLocal, localTime } from '../../../model/time.ts'

export interface Draft {
  /** With the line ends of a text field, which are these: \n. */
  readonly content: string
  readonly description: string
  /** As JSON. */
  readonly metadata: string
  /** `2026-11-17T09:30` on the workspace's clocks; empty: never. */
  readonly expiresAt: string
}

export interface DraftProblem {
  readonly field: keyof Draft
  readonly problem: string
}

export function draftOf(entry: Entry, zone: string): Draft {
  return {
    content: entry.content.replace(/\r\n?/g, '\n'),
    description: entry.description,
    metadata: JSON.stringify(entry.metadata, undefined, 2),
    expiresAt: entry.expiresAt === null ? '' : localText(entry.expiresAt, zone),
  }
}

/** Which fields are not as they were in `base`. */
export function changedFields(draft: Draft, base: Entry, zone: string): readonly (keyof Draft)[] {
  const was = draftOf(base, zone)
  return (['content', 'description', 'metadata', 'expiresAt'] as const).filter((field) => draft[field] !== was[field])
}

/** What is to be written, or what can't be read as what it should be. */
export function patchOf(draft: Draft, base: Entry, zone: string): EntryPatch | DraftProblem {
  const changed = changedFields(draft, base, zone)
  const metadata = parseMetadata(draft.metadata)
  if (changed.includes('metadata') && typeof metadata === 'string') return { field: 'metadata', problem: metadata }
  return {
    ...(changed.includes('content') ? { content: withLineEndsOf(base.content, draft.content) } : {}),
    ...(changed.includes('description') ? { description: draft.description } : {}),
    ...(changed.includes('metadata') && typeof metadata === 'object' ? { metadata } : {}),
    ...(changed.includes('expiresAt') ? { expiresAt: instantOf(draft.expiresAt, zone) } : {}),
  }
}

/** The whole of it as another entry, for one that is gone, or what can't be read as what it should be. */
export function newOf(
  draft: Draft,
  base: Entry,
  { zone, nowMs }: { readonly zone: string; readonly nowMs: number },
): NewEntry | DraftProblem {
  const { kind, name, key, aliases } = base
  const { naming, attributes } = KINDS[kind]
  const metadata = parseMetadata(draft.metadata)
  if (typeof metadata === 'string') return { field: 'metadata', problem: metadata }
  const ttl = ttlUntil(instantOf(draft.expiresAt, zone), nowMs)
  return {
    kind,
    content: withLineEndsOf(base.content, draft.content),
    ...(naming === 'given' && name !== null ? { name } : {}),
    ...(key === undefined ? {} : { key }),
    ...(attributes ? { metadata, aliases } : {}),
    ...(attributes && draft.description !== '' ? { description: draft.description } : {}),
    ...(ttl === undefined ? {} : { ttl }),
  }
}

export function isProblem(written: EntryPatch | NewEntry | DraftProblem): written is DraftProblem {
  return 'problem' in written
}

/** Whether all that somebody changed is there already, whoever wrote it. */
export function isWritten(draft: Draft, base: Entry, current: Entry, zone: string): boolean {
  const now = draftOf(current, zone)
  return changedFields(draft, base, zone).every((field) => draft[field] === now[field])
}

/** The same changes, made to what somebody else has written meanwhile. */
export function rebased(draft: Draft, base: Entry, current: Entry, zone: string): Draft {
  const mine = changedFields(draft, base, zone).map((field) => [field, draft[field]])
  return { ...draftOf(current, zone), ...Object.fromEntries(mine) }
}

/** The object, or why it is none. An empty field is an empty one. */
export function parseMetadata(text: string): Metadata | string {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Metadata // JSON holds nothing else
    return 'Metadata is an object, such as {"project": "apollo"}.'
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A file that is written with \r\n stays so. */
function withLineEndsOf(before: string, text: string): string {
  return before.includes('\r\n') ? text.replace(/\n/g, '\r\n') : text
}

function localText(at: string, zone: string): string {
  const { day, time } = localTime(at, zone)
  return `${day}T${time}`
}

function instantOf(local: string, zone: string): string | null {
  const [day, time] = local.split('T')
  return day === undefined || day === '' || time === undefined ? null : instantOfLocal(day, time.slice(0, 5), zone)
}

/** Within the minute that the field shows. An end that is past ends nothing new: then its kind says how long it lives. */
function ttlUntil(end: string | null, nowMs: number): string | undefined {
  const minutes = end === null ? 0 : Math.ceil((Date.parse(end) - nowMs) / 60_000)
  return minutes > 0 ? `${minutes}m` : undefined
}
