/**
 * What a model is given of one agent's memory: the system prompt, and for a message what is found for it. Never writes, and never
 * fails for what lies in the workspace: a file that can't be read is left out, with a warning.
 */
import { InvalidError, isKeepsakeError } from '../errors.ts'
import { oneQuestion } from '../model/one-question.ts'
import type { CallOptions } from '../ports/store.ts'
import type { Asked, Context } from '../prompt/context.ts'
import { memoryDirective } from '../prompt/directive.ts'
import type { PromptPart } from '../prompt/part.ts'
import { recallBlock } from '../prompt/recall-block.ts'
import { systemPrompt } from '../prompt/system-prompt.ts'
import type { Found } from '../recall/found.ts'
import type { KnownSettings } from './settings.ts'
import type { View } from './view.ts'

export type { Context } from '../prompt/context.ts'

export interface ContextOptions extends Asked, CallOptions {
  /** A person looks: what is found is given to no agent, and does not count as recalled. */
  readonly uncounted?: boolean
}

/** What is found for a message; `undefined` when that is nothing. */
type AutoRecall = (message: string, options: CallOptions) => Promise<Found | undefined>

/** A person's own words in the workspace, in place of ours. */
const DIRECTIVE = 'directives/memory.md'

export async function contextOf(
  view: View,
  settings: KnownSettings,
  search: AutoRecall,
  options: ContextOptions,
): Promise<Context> {
  const { message = '', recap = '', ...call } = oneQuestion(options)
  requireText(message, 'message')
  requireText(recap, 'recap')
  const directive = await directiveOf(view, settings, call)
  const pages = settings.injectMemory ? await pagesOf(view, settings, call) : NO_PAGES
  const { tools: preset } = settings
  const { text, parts } = systemPrompt({ agent: view.agent, preset, ...pages, ...directive, recap })
  const recalled = settings.autoRecall ? await recalledFor(message, view, search, call) : undefined
  return {
    system: text,
    recall: recalled?.part?.text ?? '',
    parts: recalled?.part ? [...parts, recalled.part] : parts,
    warnings: [
      ...pages.warnings,
      ...directive.warnings,
      ...quotedWarnings({ ...pages, ...directive }),
      ...tooLong(parts),
      ...(recalled?.warnings.filter((warning) => !pages.warnings.includes(warning)) ?? []),
    ],
  }
}

/** As it stands in the system prompt, alone: what a server tells its clients. */
export async function directiveAlone(
  view: View,
  settings: KnownSettings,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  const directive = await directiveOf(view, settings, {})
  const { text, parts } = systemPrompt({
    agent: view.agent,
    preset: settings.tools,
    ...NO_PAGES,
    ...directive,
    recap: '',
  })
  return { text, warnings: [...directive.warnings, ...quotedWarnings(directive), ...tooLong(parts)] }
}

interface Directive {
  readonly directive: string
  readonly quotedDirective?: string
  readonly warnings: readonly string[]
  readonly distrusted?: string | undefined
}

async function directiveOf(
  { store }: View,
  { tools, soulEditable, distrust }: KnownSettings,
  call: CallOptions,
): Promise<Directive> {
  const builtIn = memoryDirective(tools, { soulEditable })
  try {
    const text = ((await store.document(DIRECTIVE, call)) ?? '').trim()
    if (text === '') return { directive: builtIn, warnings: [] }
    const distrusted = distrust?.(await store.settings(), DIRECTIVE)
    if (distrusted === undefined) return { directive: text, warnings: [] }
    return { directive: builtIn, quotedDirective: text, distrusted, warnings: [] }
  } catch (error) {
    if (!isKeepsakeError(error) || error.code === 'CLOSED') throw error
    return { directive: builtIn, warnings: [`${error.message}; the built-in directive is used`] }
  }
}

interface Pages {
  readonly identity: string | undefined
  readonly quotedIdentity?: string
  readonly memory: string
  readonly warnings: readonly string[]
  readonly distrusted?: string | undefined
}

const NO_PAGES: Pages = { identity: undefined, memory: '', warnings: [] }

async function pagesOf(view: View, { distrust }: KnownSettings, call: CallOptions): Promise<Pages> {
  const { content: identity = '', path } = (await view.get('IDENTITY', call)) ?? {}
  const memory = (await view.get('MEMORY', call))?.content ?? ''
  const problems = await view.store.problems({ scopes: [view.agent], kinds: ['identity', 'memory'] })
  const warnings = problems.map(({ path, problem }) => `${path}: ${problem}`)
  const distrusted = identity.trim() === '' ? undefined : distrust?.(await view.store.settings(), path)
  if (distrusted === undefined) return { identity, memory, warnings }
  return { identity: '', quotedIdentity: identity, memory, warnings, distrusted }
}

/** Warns because a person who wrote these files expects a model to follow them. */
function quotedWarnings({
  distrusted,
  quotedIdentity,
  quotedDirective,
}: Partial<Pages & Directive>): readonly string[] {
  if (distrusted === undefined) return []
  const files = [quotedIdentity && 'the identity', quotedDirective && DIRECTIVE].filter((file) => file !== undefined)
  return [`the model gets ${files.join(' and ')} only as quoted data: ${distrusted}`]
}

async function recalledFor(
  message: string,
  view: View,
  search: AutoRecall,
  call: CallOptions,
): Promise<{ readonly part: PromptPart | undefined; readonly warnings: readonly string[] } | undefined> {
  if (message.trim() === '') return undefined
  const found = await search(message, call)
  if (!found) return undefined
  const { timezone } = await view.store.settings()
  return { part: recallBlock(found, timezone), warnings: found.warnings }
}

/** Of what a person wrote, the person should know. */
function tooLong(parts: readonly PromptPart[]): string[] {
  return parts
    .filter(({ cut }) => cut)
    .map(({ part, tokens }) => `the ${part} is longer than its share of the prompt, and cut to ${tokens} tokens`)
}

function requireText(value: unknown, field: string): void {
  if (typeof value !== 'string') throw new InvalidError(field, 'is no text', 'text')
}
