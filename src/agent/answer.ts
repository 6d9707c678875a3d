/**
 * From a question to its answer: the model is asked, what it calls is run and told to it, and it is asked again, until it only
 * says something. Invariants: a call and its result are appended together, so that no crash parts them; what ran is kept, also
 * when the user stops it; and after `maxSteps` rounds it is asked once more and may call none, so that there is an answer.
 */
import { KeepsakeError } from '../errors.ts'
import type { Session } from '../memory.ts'
import { abortable } from '../model/abortable.ts'
import { keepableText } from '../model/content.ts'
import type { Completion, Model, ModelMessage, ModelToolCall } from '../ports/complete.ts'
import type { Turn, TurnInput } from '../session/records.ts'
import type { Telling } from './events.ts'
import { modelMessages } from './messages.ts'
import { callsOf } from './tool-calls.ts'
import { offersOf, runTool, type Toolbox, type ToolOutcome } from './tool-run.ts'

export interface Question {
  readonly session: Session
  readonly model: Model
  readonly system: string
  /** The window. Its last turn is the user's. */
  readonly turns: readonly Turn[]
  /** What was found for it: stands before the user's words as sent, and nowhere else. */
  readonly recall: string
  readonly tools: Toolbox
  /** The names of those that are the memory's own. */
  readonly ownTools: ReadonlySet<string>
  readonly maxSteps: number
  readonly telling: Telling
  readonly signal: AbortSignal | undefined
}

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface Answer {
  readonly text: string
  readonly toolCalls: number
  readonly usage?: Usage
}

export async function answer(question: Question): Promise<Answer> {
  const { session, telling, turns, maxSteps, ownTools } = question
  const steps: Turn[] = []
  let toolCalls = 0
  let usage: Usage | undefined
  for (let step = 0; ; step++) {
    const mayCall = step < maxSteps
    const completion = await asked(question, [...turns, ...steps], mayCall)
    usage = sum(usage, completion.usage)
    const calls = mayCall ? callsOf(completion) : []
    const text = keepableText(completion.content)
    if (calls.length === 0) {
      await said(question, text, completion)
      return { text, toolCalls, ...(usage ? { usage } : {}) }
    }
    toolCalls += calls.length
    const outcomes = await run(question, calls)
    // Without the signal: what was done is done.
    const appended = await session.append(turnsOf(text, calls, outcomes, ownTools))
    telling.warn(...appended.warnings)
    steps.push(...appended.turns)
    question.signal?.throwIfAborted()
  }
}

/** One call of the model. Where the user stops it, what it has said so far is kept. */
async function asked(question: Question, turns: readonly Turn[], mayCall: boolean): Promise<Completion> {
  const { model, system, recall, tools, telling, signal, session } = question
  const messages = withRecall(modelMessages(turns, question.turns.length - 1), recall)
  let streamed = ''
  const onText = (piece: string): void => {
    // One that does not know the signal goes on talking.
    if (signal?.aborted) return
    streamed += piece
    telling.tell({ type: 'text', text: piece })
  }
  try {
    const completion = await abortable(
      () =>
        model.complete(lastOfUser(messages), {
          model: model.name,
          system,
          messages,
          ...(tools.size > 0 ? { tools: offersOf(tools) } : {}),
          ...(mayCall ? {} : { toolChoice: 'none' }),
          ...(telling.isHeard ? { onText } : {}),
          ...(signal ? { signal } : {}),
        }),
      signal,
    )
    requireText(completion)
    if (streamed === '' && completion.content !== '') telling.tell({ type: 'text', text: completion.content })
    return completion
  } catch (error) {
    const text = keepableText(streamed)
    if (signal?.aborted && text.trim() !== '') {
      await session.append({ role: 'assistant', content: text, metadata: { stopped: true } })
    }
    throw error
  }
}

/** A function of one's own may give anything. */
function requireText(completion: Completion): void {
  if (typeof completion?.content === 'string') return
  throw new KeepsakeError('MODEL', 'the model gave no text', { hint: 'A model function gives { content: text }.' })
}

/** One after the other, for they write. After a stop the rest is not run, and the model is told so at its next turn. */
async function run(
  { session, tools, telling, signal }: Question,
  calls: readonly ModelToolCall[],
): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = []
  for (const call of calls) {
    const isBegun = !signal?.aborted
    if (isBegun) telling.tell({ type: 'tool-call', call })
    const options = { session: session.key, ...(signal ? { signal } : {}) }
    const outcome = await runTool(tools, call, options).catch((error: unknown) => {
      if (!signal?.aborted) throw error
      return { text: 'The user stopped this before it gave an answer.', isError: true }
    })
    outcomes.push(outcome)
    if (isBegun) telling.tell({ type: 'tool-result', call, ...outcome })
  }
  return outcomes
}

/** What our own tools show is marked, so that nobody takes it for something said. */
function turnsOf(
  content: string,
  calls: readonly ModelToolCall[],
  outcomes: readonly ToolOutcome[],
  ownTools: ReadonlySet<string>,
): TurnInput[] {
  const kept = calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }))
  const results = calls.map(({ id, name }, index): TurnInput => {
    const { text = '', isError = false } = outcomes[index] ?? {}
    const marks = { ...(isError ? { error: true } : {}), ...(ownTools.has(name) ? { given: true } : {}) }
    return { role: 'tool', content: text, tools: [name], metadata: { call: id, ...marks } }
  })
  return [{ role: 'assistant', content, tools: calls.map(({ name }) => name), metadata: { calls: kept } }, ...results]
}

async function said({ session, telling }: Question, text: string, { stop }: Completion): Promise<void> {
  if (stop === 'length') telling.warn('the answer is cut: it reached the most that the model gives at once')
  if (stop === 'refused') telling.warn('the model refused to answer')
  if (text.trim() === '') telling.warn('the model said nothing')
  else telling.warn(...(await session.append({ role: 'assistant', content: text })).warnings)
}

/** Before the user's text in the last message that is the user's. */
function withRecall(messages: readonly ModelMessage[], recall: string): ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return messages.map((message, index) =>
    index === last && recall !== '' ? { role: 'user', content: `${recall}\n\n${message.content}` } : message,
  )
}

function lastOfUser(messages: readonly ModelMessage[]): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? ''
}

function sum(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  }
}
