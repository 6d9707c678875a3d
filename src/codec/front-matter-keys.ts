/**
 * What the keys of a front matter say of an entry, read and written. Keys that are not ours are never touched.
 * `tags` at the top, where people put it, is part of the user's metadata and is written back where it stands.
 */
import type { JsonValue, Metadata } from '../model/entry.ts'
import { canonicalJson } from '../model/json.ts'
import { isKind, type Kind } from '../model/kinds.ts'
import { originValue, readDescription, readId, readInstant, readMetadata, readName, readOrigin } from './attributes.ts'
import { BrokenText, type FileEntry } from './file-entry.ts'
import type { FrontMatter } from './front-matter.ts'

/** `kinds` are those a file of this shape may name; none: kind, times and origin are no keys of ours there. */
export function readKeys(frontMatter: FrontMatter, kinds: readonly Kind[]): Omit<FileEntry, 'content'> {
  const read = <T>(key: string, of: (value: unknown) => T): T | undefined => {
    const value = frontMatter.get(key)
    // An empty key is a line not filled in yet.
    return value === undefined || value === null || value === '' ? undefined : atLine(frontMatter, key, () => of(value))
  }
  const record = <T>(key: string, of: (value: unknown) => T): T | undefined =>
    kinds.length > 0 ? read(key, of) : undefined

  const name = read('name', (value) => readName(asWritten(frontMatter, 'name', value), 'name'))
  const description = read('description', (value) => readDescription(asWritten(frontMatter, 'description', value)))
  const id = read('id', readId)
  const kind = record('kind', (value) => readKind(value, kinds))
  const aliases = read('aliases', (value) => readAliases(frontMatter, value))
  const createdAt = record('created', (value) => readInstant(value, 'created'))
  const updatedAt = record('updated', (value) => readInstant(value, 'updated'))
  const { expiresAt, undated } = readExpiry(() => record('expires', (value) => readInstant(value, 'expires')))
  const origin = record('origin', readOrigin)
  return {
    ...(id === undefined ? {} : { id }),
    ...(kind === undefined ? {} : { kind }),
    ...(name === undefined ? {} : { name }),
    aliases: aliases ?? [],
    description: description ?? '',
    metadata: readAllMetadata(frontMatter),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(undated === undefined ? {} : { undated }),
    ...(origin === undefined ? {} : { origin }),
  }
}

/**
 * Who writes `expires: someday` has a note that is to end, not one that can't be read. It counts as if it did not end, and the
 * line stays as it is until a time is set in its place.
 */
function readExpiry(read: () => string | undefined): Pick<FileEntry, 'undated'> & { expiresAt: string | undefined } {
  try {
    return { expiresAt: read() }
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error
    return { expiresAt: undefined, undated: error.message }
  }
}

function readKind(value: unknown, kinds: readonly Kind[]): Kind {
  const kind = kinds.find((allowed) => allowed === value)
  if (kind !== undefined) return kind
  const reason = isKind(value) ? 'has another place' : 'is not a kind'
  throw new BrokenText(`kind: "${String(value)}" ${reason}; here can be ${kinds.join(', ')}`)
}

function readAliases(frontMatter: FrontMatter, value: unknown): string[] {
  if (!Array.isArray(value)) return [readName(asWritten(frontMatter, 'aliases', value), 'aliases')]
  const words = frontMatter.written('aliases').all.split(/[\s,[\]]+/)
  const names = value.map((item: unknown) => {
    if (typeof item === 'string') return item
    // `1.10` is the number 1.1 to YAML. What can't be found again in the line was written otherwise.
    if ((typeof item === 'number' || typeof item === 'boolean') && words.includes(String(item))) return String(item)
    throw new BrokenText(`aliases: ${String(item)} is not text; put it in quotes`)
  })
  return [...new Set(names.map((name) => readName(name, 'aliases')))]
}

/** Numbers, dates and truth values as the person wrote them: a note named 2024 or 1.10 is named just that. */
function asWritten(frontMatter: FrontMatter, key: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object') throw new BrokenText(`${key}: is not text`)
  const { first } = frontMatter.written(key)
  return first === '' || /^[&*!]/.test(first) ? String(value) : first
}

/** The user's own data: what is under `metadata`, and `tags` wherever it stands. */
function readAllMetadata(frontMatter: FrontMatter): Metadata {
  const under = atLine(frontMatter, 'metadata', () => readMetadata(frontMatter.get('metadata') ?? {}))
  const tags = frontMatter.get('tags')
  if (tags === undefined || tags === null) return under
  if (Object.hasOwn(under, 'tags')) {
    throw new BrokenText('tags: stand both here and under metadata; keep one', frontMatter.lineOf('tags'))
  }
  return atLine(frontMatter, 'tags', () => readMetadata({ ...under, tags }))
}

/** Sets each key whose value is no longer what the file said before. */
export function writeKeys(frontMatter: FrontMatter, entry: FileEntry, before: FileEntry, kinds: readonly Kind[]): void {
  const write = (key: string, now: JsonValue | undefined, then: JsonValue | undefined): void => {
    if (!same(now, then)) frontMatter.set(key, now)
  }
  // A person's empty `description:` stays, to be filled in.
  const noDescription = frontMatter.has('description') ? '' : undefined
  write('name', entry.name, before.name)
  write('description', entry.description || noDescription, before.description || noDescription)
  write('id', entry.id, before.id)
  write('aliases', listOrNothing(entry.aliases), listOrNothing(before.aliases))
  writeMetadata(frontMatter, entry.metadata, before.metadata)
  if (kinds.length === 0) return
  if ((entry.kind ?? 'note') !== (before.kind ?? 'note')) {
    frontMatter.set('kind', entry.kind === 'note' ? undefined : entry.kind)
  }
  write('created', entry.createdAt, before.createdAt)
  const updatedAt = entry.updatedAt ?? entry.createdAt
  // Left as it is when the file, with its new `created`, says the right thing already.
  if ((before.updatedAt ?? entry.createdAt) !== updatedAt) {
    frontMatter.set('updated', updatedAt === entry.createdAt ? undefined : updatedAt)
  }
  write('expires', entry.expiresAt, before.expiresAt)
  write('origin', entry.origin && originValue(entry.origin), before.origin && originValue(before.origin))
}

function listOrNothing(items: readonly string[]): readonly string[] | undefined {
  return items.length > 0 ? items : undefined
}

function writeMetadata(frontMatter: FrontMatter, metadata: Metadata, before: Metadata): void {
  const apart = frontMatter.has('tags') && !hasTags(frontMatter.get('metadata'))
  const then = partTags(before, apart)
  // A line `tags: null` would say that there are none, so this one value goes under metadata.
  const now = partTags(metadata, apart && metadata['tags'] !== null)
  if (!same(now.tags, then.tags)) frontMatter.set('tags', now.tags)
  if (!same(now.rest, then.rest)) frontMatter.set('metadata', Object.keys(now.rest).length > 0 ? now.rest : undefined)
}

function hasTags(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && Object.hasOwn(metadata, 'tags')
}

function partTags(
  metadata: Metadata,
  apart: boolean,
): { readonly tags: JsonValue | undefined; readonly rest: Metadata } {
  if (!apart) return { tags: undefined, rest: metadata }
  const { tags, ...rest } = metadata
  return { tags, rest }
}

function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return canonicalJson(a) === canonicalJson(b)
}

function atLine<T>(frontMatter: FrontMatter, key: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof BrokenText && error.line === undefined) {
      throw new BrokenText(error.problem, frontMatter.lineOf(key))
    }
    throw error
  }
}
