/**
 * What the head of an entry must look like where one is read. A checksum proves that bytes are what somebody wrote, not who: a
 * file may come from anybody, and what is taken for a head is used as one all over the program.
 */
import { type EntryHead, ORIGINS } from '../model/entry.ts'
import { KINDS } from '../model/kinds.ts'

/** As `instant` writes them: one that Date takes, whatever it says. */
const TIME = /^(\d{4}|[+-]\d{6})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/

/** Every field that a head has; others may stand beside them. Field by field: a hundred thousand are read at once. */
export function isHead(value: unknown): value is EntryHead {
  if (!isMapping(value)) return false
  const head: { readonly [Field in keyof EntryHead]?: unknown } = value
  return (
    isText(head.id) &&
    isCount(head.seq) &&
    isText(head.revision) &&
    isText(head.scope) &&
    isText(head.kind) &&
    Object.hasOwn(KINDS, head.kind) &&
    (head.name === null || isText(head.name)) &&
    (head.key === undefined || isText(head.key)) &&
    Array.isArray(head.aliases) &&
    head.aliases.every(isText) &&
    isText(head.description) &&
    isMapping(head.metadata) &&
    isTime(head.createdAt) &&
    (head.updatedAt === head.createdAt || isTime(head.updatedAt)) &&
    (head.expiresAt === null || isTime(head.expiresAt)) &&
    isOrigin(head.origin) &&
    (head.path === undefined || isText(head.path))
  )
}

export function isListOf<T>(value: unknown, isOne: (item: unknown) => boolean): value is readonly T[] {
  return Array.isArray(value) && value.every(isOne)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value)
}

export function isOrigin(value: unknown): value is EntryHead['origin'] {
  return isMapping(value) && ORIGINS.some((by) => by === value['by'])
}
