/**
 * One answer to a conversation, in as many calls of the model as it takes: mostly one. Each part is shown the memory as those before it
 * leave it, planned as any other rewrite is, and what the one before it came to. Where one of them would be for a person to look at, so
 * is the whole. What no call was shown is told as a warning.
 */
import { isTooLongToShow } from '../prompt/consolidation-prompt.ts'
import type { Said } from '../prompt/said.ts'
import { type LeftOut, leftOutOf } from '../prompt/said-text.ts'
import { type Answer, askAbout } from './ask-about.ts'
import type { ModelFailure } from './ask-model.ts'
import type { Asked } from './decide-memory.ts'
import { firstPart, PIECE_TOKENS } from './exchanges.ts'
import { longTermMemory } from './long-term-memory.ts'
import { planMemory } from './plan.ts'
import type { Run } from './run.ts'

export type WholeAnswer = Answer & Pick<Asked, 'doubt'>

interface Question {
  readonly conversation: readonly Said[]
  /** What was said before came to this. */
  readonly previous?: string | undefined
}

export async function answerInParts(
  run: Run,
  { conversation, previous }: Question,
): Promise<WholeAnswer | ModelFailure> {
  const seen = await longTermMemory(run.memory, run.call)
  const parts = partsOf(conversation)
  const answers: Answer[] = []
  let { text } = seen
  let doubt: WholeAnswer['doubt']
  for (const part of parts) {
    const before = answers.at(-1)?.archiveText ?? previous
    const answer = await askAbout(run, { memory: { ...seen, text }, conversation: part, previous: before })
    if ('failure' in answer) return answer
    const { update, updateDoubt, wasAskedToCompress } = answer
    const plan = planMemory({ seen: text, now: text, update, doubt: updateDoubt, wasAskedToCompress })
    if (plan.is !== 'unchanged') text = plan.content
    if (plan.is === 'review') doubt ??= { reason: plan.reason, detail: plan.detail }
    answers.push(answer)
  }
  run.warnings.push(...tooLong(seen.text), ...notShown(run, parts.map(leftOutOf)))
  const [only, ...others] = answers
  if (only && others.length === 0) return only
  return {
    seen,
    update: text === seen.text ? undefined : text,
    doubt,
    wasAskedToCompress: answers.some((answer) => answer.wasAskedToCompress),
    archiveText: answers.map(({ archiveText }) => archiveText).join('\n\n'),
    historyText: answers.map(({ historyText }) => historyText).join('\n\n'),
  }
}

function partsOf(conversation: readonly Said[]): readonly (readonly Said[])[] {
  const parts: (readonly Said[])[] = []
  for (let left = conversation; left.length > 0; ) {
    const size = firstPart(left, PIECE_TOKENS)
    parts.push(left.slice(0, size))
    left = left.slice(size)
  }
  return parts
}

function tooLong(memory: string): string[] {
  if (!isTooLongToShow(memory)) return []
  const bytes = new TextEncoder().encode(memory).length
  return [`MEMORY.md has ${bytes} bytes, too many to show a model all of it: it stays as it is until you shorten it`]
}

function notShown({ session }: Run, leftOut: readonly LeftOut[]): string[] {
  const characters = leftOut.reduce((sum, one) => sum + one.characters, 0)
  const messages = leftOut.reduce((sum, one) => sum + one.messages, 0)
  if (characters === 0 && messages === 0) return []
  const whole = messages === 0 ? '' : `, ${messages} whole messages among them`
  return [
    `${characters} characters of session "${session.key}" were too long to show the model${whole}: they are in the transcript alone`,
  ]
}
