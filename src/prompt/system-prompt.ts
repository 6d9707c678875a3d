/**
 * The system prompt of an agent: who it is, how it uses its memory, what it always knows, and what was said before. The same
 * bytes for the same memory: no time, no count, nothing at random, so that a model's cache of the prompt holds between turns.
 * A change of one part leaves the bytes of the others as they were.
 */
import { block } from '../model/injected.ts'
import type { Preset } from '../model/preset.ts'
import { type Kept, shownWithin, tokensOf } from './budget.ts'
import { REST_OF_MEMORY } from './directive.ts'
import { markInvisible } from './invisible.ts'
import { neutral } from './neutral.ts'
import type { PartName, PromptPart } from './part.ts'

export interface SystemPromptParts {
  readonly agent: string
  readonly preset: Preset
  /** Blank counts as none, and so of each part. `undefined` for the identity: the prompt has none, not even the default. */
  readonly identity: string | undefined
  readonly directive: string
  /** The next two may be someone else's, and are shown as data. */
  readonly quotedIdentity?: string | undefined
  readonly quotedDirective?: string | undefined
  readonly memory: string
  readonly recap: string
}

/**
 * In tokens. Each turn pays for all of it, if less where a cache holds it. MEMORY.md has the most: it is what the agent chose to
 * have before it, and what is asked to be condensed from 8 kB on is a quarter of this. A page about who one is, a page of
 * instructions and a few turns of conversation are short texts; one that is not is a mistake, and must not push out the rest.
 */
export const BUDGETS: Readonly<Record<Exclude<PartName, 'recall'>, number>> = {
  identity: 2000,
  directive: 4000,
  memory: 8000,
  recap: 2000,
}

/** No name can go on over a line of dashes, so that nothing can be put together from the end of one part and the next. */
const SEPARATOR = '\n\n---\n\n'

export function systemPrompt(given: SystemPromptParts): {
  readonly text: string
  readonly parts: readonly PromptPart[]
} {
  const parts = [identityPart(given), directivePart(given), memoryPart(given), recapPart(given)].filter(
    (part) => part !== undefined,
  )
  return { text: parts.map(({ text }) => text).join(SEPARATOR), parts }
}

function identityPart({ agent, identity, quotedIdentity }: SystemPromptParts): PromptPart | undefined {
  if (identity === undefined) return undefined
  if (isBlank(identity)) return withQuoted('identity', `You are ${agent}, an agent with a memory.`, quotedIdentity)
  const note = '(The rest of your identity does not fit here; its file has all of it.)'
  return partOf('identity', identity, (text, isCut) => neutral(noted(text, isCut, note)))
}

/** The owner's own words, or ours. They are instructions, so tags are not escaped; invisible characters are still marked. */
function directivePart({ directive, quotedDirective }: SystemPromptParts): PromptPart | undefined {
  if (isBlank(directive)) return undefined
  if (quotedDirective !== undefined) return withQuoted('directive', directive, quotedDirective)
  const note = '(The rest of directives/memory.md does not fit here.)'
  return partOf('directive', directive, (text, isCut) => markInvisible(noted(text, isCut, note)))
}

/** Our own text, followed by the text of a workspace file as data. */
function withQuoted(part: 'identity' | 'directive', ours: string, quoted = ''): PromptPart {
  if (isBlank(quoted)) return partOf(part, ours)
  const note = '(The rest of the file does not fit here.)'
  return partOf(part, quoted, (text, isCut) => `${ours}\n\n${block('untrusted', neutral(noted(text, isCut, note)))}`)
}

function memoryPart({ memory, preset }: SystemPromptParts): PromptPart | undefined {
  if (isBlank(memory)) return undefined
  const note = `(The rest of MEMORY.md does not fit here; ${REST_OF_MEMORY[preset]}.)`
  return partOf('memory', memory, (text, isCut) => block('memory', neutral(noted(text, isCut, note))))
}

/** The last turns are the ones that the next one follows. */
function recapPart({ recap }: SystemPromptParts): PromptPart | undefined {
  if (isBlank(recap)) return undefined
  const note = '(What was said before that does not fit here.)'
  const show = (text: string, isCut: boolean): string => block('recap', neutral(isCut ? `${note}\n\n${text}` : text))
  return partOf('recap', recap, show, 'end')
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

function noted(text: string, isCut: boolean, note: string): string {
  return isCut ? `${text}\n\n${note}` : text
}

function partOf(
  part: Exclude<PartName, 'recall'>,
  text: string,
  show: (text: string, isCut: boolean) => string = (shown) => shown,
  kept: Kept = 'beginning',
): PromptPart {
  const shown = shownWithin(text, BUDGETS[part], show, kept)
  return { part, ...shown, tokens: tokensOf(shown.text) }
}
