/**
 * The attributes of a log entry: JSON in an HTML comment on a line of its own, invisible where Markdown is rendered.
 * Invariant: the comment can't be closed from inside. What can be read is read, also beside what can't.
 */
import type { JsonValue, Origin } from '../model/entry.ts'
import { originValue, readDescription, readId, readInstant, readMetadata, readName, readOrigin } from './attributes.ts'
import { BrokenText, type FileEntry } from './file-entry.ts'
import { jsonText } from './yaml-write.ts'

export type LogAttributes = Pick<
  FileEntry,
  'id' | 'key' | 'description' | 'createdAt' | 'updatedAt' | 'expiresAt' | 'undated' | 'origin' | 'metadata'
>

const OPEN = '<!-- '
const CLOSE = '-->'

/** `undefined` when there is nothing to say. */
export function attributesComment(entry: FileEntry): string | undefined {
  const { session, ...author } = entry.origin ?? {}
  const attributes: Record<string, JsonValue | undefined> = {
    id: entry.id,
    key: entry.key,
    description: entry.description || undefined,
    at: entry.createdAt,
    updated: entry.updatedAt === entry.createdAt ? undefined : entry.updatedAt,
    expires: entry.expiresAt,
    origin: isAuthor(author) ? originValue(author) : undefined,
    session,
    metadata: Object.keys(entry.metadata).length > 0 ? entry.metadata : undefined,
  }
  const said = Object.fromEntries(Object.entries(attributes).filter(isSaid))
  return Object.keys(said).length > 0 ? commentOf(said) : undefined
}

export const EMPTY_COMMENT: string = commentOf({})

export function readComment(line: string): { readonly attributes: LogAttributes; readonly problem?: string } {
  const problems: string[] = []
  const { id, key, description, at, updated, expires, origin, session, metadata } = parseComment(line, problems)
  const read = <T>(value: unknown, of: (value: unknown) => T): T | undefined => {
    if (value === undefined || value === null) return undefined
    try {
      return of(value)
    } catch (error) {
      if (!(error instanceof BrokenText)) throw error
      problems.push(error.problem)
      return undefined
    }
  }
  // What can't be read at all may have said when it ends.
  const undated = [...problems]
  const readDate = (value: unknown, field: string): string | undefined => {
    const before = problems.length
    const date = read(value, (given) => readInstant(given, field))
    undated.push(...problems.slice(before))
    return date
  }
  const said = {
    id: read(id, readId),
    key: read(key, (value) => readName(value, 'key')),
    createdAt: readDate(at, 'at'),
    updatedAt: read(updated, (value) => readInstant(value, 'updated')),
    expiresAt: readDate(expires, 'expires'),
    origin: withSession(read(origin, readOrigin), read(session, readSession)),
  }
  return {
    attributes: {
      ...(said.id === undefined ? {} : { id: said.id }),
      ...(said.key === undefined ? {} : { key: said.key }),
      description: read(description, readDescription) ?? '',
      metadata: read(metadata, readMetadata) ?? {},
      ...(said.createdAt === undefined ? {} : { createdAt: said.createdAt }),
      ...(said.updatedAt === undefined ? {} : { updatedAt: said.updatedAt }),
      ...(said.expiresAt === undefined ? {} : { expiresAt: said.expiresAt }),
      ...(undated.length === 0 ? {} : { undated: undated.join('; ') }),
      ...(said.origin === undefined ? {} : { origin: said.origin }),
    },
    ...(problems.length === 0 ? {} : { problem: problems.join('; ') }),
  }
}

function parseComment(line: string, problems: string[]): Readonly<Record<string, unknown>> {
  const text = line.trimEnd()
  if (!text.endsWith(CLOSE)) {
    problems.push('the comment with the attributes does not end on its line')
    return {}
  }
  try {
    const value: unknown = JSON.parse(text.slice(OPEN.length, -CLOSE.length))
    return value as Record<string, unknown> // it starts with a brace, so it is an object or an error
  } catch {
    problems.push('the comment with the attributes is not JSON')
    return {}
  }
}

function commentOf(attributes: JsonValue): string {
  const json = jsonText(attributes)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('--', '\\u002d\\u002d')
  return `${OPEN}${json} ${CLOSE}`
}

function readSession(value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value
  throw new BrokenText('session: is not text')
}

/** A session beside no origin was written by hand: files without an origin are. */
function withSession(origin: Origin | undefined, session: string | undefined): Origin | undefined {
  return session === undefined ? origin : { by: 'hand', ...origin, session }
}

function isAuthor(author: Partial<Origin>): author is Origin {
  return author.by !== undefined
}

function isSaid(pair: readonly [string, JsonValue | undefined]): pair is [string, JsonValue] {
  return pair[1] !== undefined
}
