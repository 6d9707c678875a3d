/**
 * Texts that are rewritten as a whole: MEMORY.md, the identity, the topics of the world. Without content they are read, with the
 * revision that a rewrite may carry, so that nobody overwrites what they have not seen.
 */
import { InvalidError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import { type Entry, WORLD } from '../model/entry.ts'
import { findByRef } from '../model/find.ts'
import { normalizeName, spelling } from '../model/name.ts'
import type { CallOptions } from '../ports/store.ts'
import { factLines, factsOf, labelOf } from './entry-facts.ts'
import { type Parameter, text } from './parameters.ts'
import type { ToolCall, ToolResult } from './tool.ts'
import { writeOptions, writtenResult, wroteText } from './written.ts'

export interface Rewrite {
  readonly content: string | undefined
  readonly expect?: string | null | undefined
}

/** A revision, or `null` for "must be new". */
export const EXPECT: Parameter<string | null, false> = {
  ...text('The revision you read, to fail if it changed since; "new" if there was none.'),
  check: (value, field) => {
    if (value === 'new') return null
    if (typeof value === 'string' && /^[0-9a-f]{16}$/.test(value)) return value
    throw new InvalidError(field, 'is no revision', 'the 16 digits that a read gave, or "new"')
  },
}

export async function memoryPage(memory: Memory, { content, expect }: Rewrite, call: ToolCall): Promise<ToolResult> {
  if (content === undefined) return readResult(await memory.get('MEMORY', call), 'There is no MEMORY.md yet.', expect)
  const written = await memory.reflect(content, { ...writeOptions(call), ...expecting(expect) })
  return writtenResult(memory, written, wroteText(written))
}

export async function identityPage(memory: Memory, { content, expect }: Rewrite, call: ToolCall): Promise<ToolResult> {
  if (content === undefined) {
    return readResult(await memory.get('IDENTITY', call), 'There is no identity yet.', expect)
  }
  const written = await memory.remember(content, { ...writeOptions(call), ...expecting(expect), kind: 'identity' })
  return writtenResult(memory, written, wroteText(written))
}

export async function topicPage(
  memory: Memory,
  topic: string,
  { content, expect }: Rewrite,
  call: ToolCall,
): Promise<ToolResult> {
  if (content === undefined) {
    const { entry, near } = await findTopic(memory, normalizeName(topic, 'topic'), call)
    const others = near.map((name) => `"${name}"`).join(' or ')
    return readResult(
      entry,
      `There is no topic "${topic}" yet.${others === '' ? '' : ` Did you mean ${others}?`}`,
      expect,
    )
  }
  const written = await memory.learnFact(topic, content, { ...writeOptions(call), ...expecting(expect) })
  return writtenResult(memory, written, wroteText(written))
}

function expecting(expect: string | null | undefined): { readonly expect?: string | null } {
  return expect === undefined ? {} : { expect }
}

/** What is not there yet is an answer, not a mistake. */
function readResult(entry: Entry | undefined, missing: string, expect: string | null | undefined): ToolResult {
  if (expect !== undefined) throw new InvalidError('expect', 'belongs to a write', 'expect only with content')
  if (entry === undefined) return { text: missing, structured: { content: '', revision: null, message: missing } }
  const { content, revision, updatedAt } = entry
  return {
    text: [`${capital(labelOf(entry))}:`, ...factLines(entry), '', content === '' ? '(empty)' : content].join('\n'),
    structured: { entry: { ...factsOf(entry), updatedAt }, content, revision },
  }
}

/** The one that a write would rewrite: an own note of that name is not meant. */
async function findTopic(
  memory: Memory,
  name: string,
  call: CallOptions,
): Promise<{ readonly entry?: Entry; readonly near: readonly string[] }> {
  const exact = await memory.store.resolve(WORLD, name, call)
  if (exact) return { entry: exact, near: [] }
  const heads = await memory.store.heads({ scopes: [WORLD], kinds: ['topic'] }, call)
  const alike = heads.filter((head) =>
    [head.name ?? '', ...head.aliases].some((other) => spelling(other) === spelling(name)),
  )
  const entry = alike.length === 1 && alike[0] ? await memory.store.get(alike[0].id, call) : undefined
  if (entry) return { entry, near: [] }
  const found = findByRef(name, heads, WORLD)
  return { near: [...found.near, ...heads.flatMap((head) => (head.id === found.id ? (head.name ?? []) : []))] }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
