/**
 * Texts that are rewritten as a whole: MEMORY.md, the identity, the topics of the world. Without content they are read, with the
 * revision that a rewrite may carry, so that nobody overwrites what they have not seen.
 */
import { InvalidError } from '../errors.ts'
import type { Memory, Written } from '../memory.ts'
import { type Entry, WORLD } from '../model/entry.ts'
import { findByRef } from '../model/find.ts'
import { normalizeName } from '../model/name.ts'
import { unreadable } from '../model/unreadable.ts'
import type { CallOptions, ScanFilter } from '../ports/store.ts'
import { restoreOriginalLines } from '../prompt/neutral.ts'
import { notesOf } from '../prompt/notes.ts'
import { inWords } from './conflict.ts'
import { factLines, factsOf, labelOf } from './entry-facts.ts'
import { type Parameter, text } from './parameters.ts'
import type { ToolCall, ToolResult } from './tool.ts'
import { readOptions, warningsJson, writeOptions, writtenResult, wroteText } from './written.ts'

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

const NO_IDENTITY = 'There is no identity yet; your prompt has a default one.'

export async function memoryPage(memory: Memory, { content, expect }: Rewrite, call: ToolCall): Promise<ToolResult> {
  const page = await memory.get('MEMORY', readOptions(call))
  if (content === undefined) {
    return readResult(expect, page, () =>
      missing(memory, { scopes: [memory.agent], kinds: ['memory'] }, 'There is no MEMORY.md yet.'),
    )
  }
  const text = restoreOriginalLines(content, page?.content)
  return rewritten('MEMORY.md', memory.reflect(text, { ...writeOptions(call), ...expecting(expect) }))
}

export async function identityPage(memory: Memory, { content, expect }: Rewrite, call: ToolCall): Promise<ToolResult> {
  const page = await memory.get('IDENTITY', readOptions(call))
  if (content === undefined) {
    return readResult(expect, page, () => missing(memory, { scopes: [memory.agent], kinds: ['identity'] }, NO_IDENTITY))
  }
  const options = { ...writeOptions(call), ...expecting(expect), kind: 'identity' } as const
  return rewritten('the identity', memory.remember(restoreOriginalLines(content, page?.content), options))
}

export async function topicPage(
  memory: Memory,
  topic: string,
  { content, expect }: Rewrite,
  call: ToolCall,
): Promise<ToolResult> {
  // The one that a write would rewrite: an own note of that name is not meant.
  const page = await memory.topic(topic, readOptions(call))
  if (content === undefined) {
    return readResult(expect, page, async () => {
      const { sentence, names } = await noTopic(memory, topic, readOptions(call))
      return missing(memory, { scopes: [WORLD], kinds: ['topic'] }, sentence, names)
    })
  }
  const options = { ...writeOptions(call), ...expecting(expect) }
  const text = restoreOriginalLines(content, page?.content)
  return rewritten(`the topic "${topic}"`, memory.learnFact(topic, text, options))
}

/** `label`: what the model knows it by, should it have changed meanwhile. */
async function rewritten(label: string, writing: Promise<Written>): Promise<ToolResult> {
  try {
    const written = await writing
    return writtenResult(written, wroteText(written))
  } catch (error) {
    throw inWords(error, label)
  }
}

function expecting(expect: string | null | undefined): { readonly expect?: string | null } {
  return expect === undefined ? {} : { expect }
}

async function readResult(
  expect: string | null | undefined,
  entry: Entry | undefined,
  otherwise: () => Promise<ToolResult>,
): Promise<ToolResult> {
  if (expect !== undefined) throw new InvalidError('expect', 'belongs to a write', 'expect only with content')
  if (entry === undefined) return otherwise()
  const { content, revision, updatedAt } = entry
  return {
    text: [`${capital(labelOf(entry))}:`, ...factLines(entry), '', content === '' ? '(empty)' : content].join('\n'),
    structured: { entry: { ...factsOf(entry), updatedAt }, content, revision },
  }
}

/** What is not there yet is an answer, not a mistake; what can't be read is not "not there". `names`: of a topic. */
async function missing(
  memory: Memory,
  where: Pick<ScanFilter, 'scopes' | 'kinds'>,
  sentence: string,
  names?: readonly string[],
): Promise<ToolResult> {
  const problems = await memory.store.problems(where)
  const error = unreadable(problems, names)
  if (error) throw error
  const warnings = problems.map(({ path, problem }) => `${path}: ${problem}`)
  return {
    text: [sentence, ...notesOf(0, warnings)].join('\n'),
    // What a first write may carry as `expect`. Not null, which counts as left out.
    structured: { content: '', revision: 'new', message: sentence, ...warningsJson(warnings) },
  }
}

/** With the names that it has if it is there after all. */
async function noTopic(
  memory: Memory,
  topic: string,
  call: CallOptions,
): Promise<{ readonly sentence: string; readonly names: readonly string[] }> {
  const heads = await memory.heads({ scopes: [WORLD], kinds: ['topic'] }, call)
  const { id, near } = findByRef(normalizeName(topic, 'topic'), heads, WORLD)
  const meant = heads.flatMap((head) => (head.id === id ? (head.name ?? []) : []))
  const others = [...near, ...meant].map((name) => `"${name}"`).join(' or ')
  const sentence = `There is no topic "${topic}" yet.${others === '' ? '' : ` Did you mean ${others}?`}`
  return { sentence, names: [topic, ...meant] }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
