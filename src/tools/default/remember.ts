/** `remember`: keeps a text, in today's log or under a name. */
import { InvalidError } from '../../errors.ts'
import type { Memory, RememberOptions, Written } from '../../memory.ts'
import { aKind, isKind, type Kind } from '../../model/kinds.ts'
import { restoreOriginalLines } from '../../prompt/neutral.ts'
import { defineTool } from '../define-tool.ts'
import { labelOf } from '../entry-facts.ts'
import { choice, json, list, mayBeBlank, type Parameter, required, said, text } from '../parameters.ts'
import type { Tool, ToolCall, ToolResult } from '../tool.ts'
import { readOptions, writeOptions, writtenResult } from '../written.ts'

const WRITTEN = ['note', 'fact', 'experience', 'conversation', 'context'] as const

/** What is written in another way, and how. */
const INSTEAD: Partial<Readonly<Record<Kind, string>>> = {
  topic: 'learn_fact writes topics',
  memory: 'reflect writes MEMORY.md',
  identity: 'soul writes the identity',
}

/** Every kind is understood, so that the wrong one can be told what is right. */
const KIND: Parameter<Kind, false> = {
  ...choice(
    WRITTEN,
    'Default: note with a name, else experience. fact lasts, conversation is kept 30 days, context until the day ends (name is its key).',
  ),
  check: (value, field) => {
    if (isKind(value)) return value
    throw new InvalidError(field, 'is none that remember knows', WRITTEN.join(', '))
  },
}

export const CONTENT_HINTS = { NAME_TAKEN: 'Choose another name or alias.' } as const

export function remember(memory: Memory): Tool {
  return defineTool({
    name: 'remember',
    title: 'Remember',
    description:
      "Keep something for later conversations: what you learned about the user, a decision, how something is done. Without a name it is appended to today's log. With a name it creates or overwrites that note. Gives the entry, its revision and the change's number.",
    parameters: {
      content: required(text('What to keep, understandable on its own.')),
      name: text('A short name, to find and rewrite it by.'),
      description: mayBeBlank('One line: what it is about.'),
      kind: KIND,
      aliases: list(text(), 'More names.'),
      metadata: json('Any JSON, to filter by.'),
      ttl: text('How long it is kept: 30d, 12h, 90m, 45s.'),
    },
    effect: 'writes',
    everyday: true,
    hints: CONTENT_HINTS,
    run: async ({ content, kind, name, ...rest }, call) => {
      if (kind !== undefined) await refuseOther(memory, kind)
      if (kind === 'context' && name === undefined) {
        throw new InvalidError('name', 'a context needs one', 'the key of the context, 1 to 200 characters')
      }
      return remembered(memory, content, { ...said({ kind, name, ...rest }) }, call)
    },
  })
}

/** A name that an own fact has means that fact: a rewrite keeps the kind. */
export async function remembered(
  memory: Memory,
  content: string,
  options: RememberOptions,
  call: ToolCall,
): Promise<ToolResult> {
  const { name } = options
  const existing = name === undefined ? undefined : await memory.get(name, readOptions(call))
  const kind = options.kind === undefined && existing?.kind === 'fact' ? { kind: existing.kind } : {}
  const text = restoreOriginalLines(content, existing?.content)
  const written = await memory.remember(text, { ...options, ...kind, ...writeOptions(call) })
  return writtenResult(written, rememberedText(written))
}

function rememberedText({ entry, replaced }: Written): string {
  const verb = replaced === undefined ? 'Remembered' : replaced === entry.revision ? 'Confirmed' : 'Rewrote'
  return `${verb} ${labelOf(entry)}.`
}

async function refuseOther(memory: Memory, kind: Kind): Promise<void> {
  if (WRITTEN.some((one) => one === kind)) return
  // Where it may not be written at all, the memory says why.
  if (kind === 'identity' && !memory.settings.soulEditable) await memory.remember('-', { kind })
  const instead = INSTEAD[kind] ?? `${aKind(kind)} is made when sessions are condensed`
  throw new InvalidError('kind', `${aKind(kind)} is not written by remember`, `${WRITTEN.join(', ')}; ${instead}`)
}
