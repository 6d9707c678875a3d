/**
 * What is asked for, in the words of Anthropic's API: it wants the user first, no role twice in a row, no empty text, and the results
 * of tools as the user's words, before any others. It refuses calls in a conversation without tools, so where none are offered now,
 * those that were called are named, and may not be called.
 */
import type { CompleteOptions, ModelMessage, ToolOffer } from '../ports/complete.ts'
import { sentArguments } from './tool-calls.ts'

/** The API wants a limit: this one, unless a longer answer is expected, up to what its present models allow. */
const USUAL_TOKENS = 4096
const MOST_TOKENS = 32_000

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

type Block = { readonly type: string; readonly [key: string]: unknown }

export function anthropicBody(asked: CompleteOptions, messages: readonly ModelMessage[]): object {
  const { model, system, tools = [], maxTokens = tokensFor(asked), onText } = asked
  const named = tools.length > 0 ? tools : calledTools(messages)
  const mayCall = tools.length > 0 && asked.toolChoice !== 'none'
  return {
    model,
    max_tokens: maxTokens,
    ...(system ? { system } : {}),
    messages: turnsOf(messages),
    ...(named.length === 0
      ? {}
      : { tools: named.map(({ inputSchema, ...words }) => ({ ...words, input_schema: inputSchema })) }),
    ...(named.length === 0 || mayCall ? {} : { tool_choice: { type: 'none' } }),
    ...(onText === undefined ? {} : { stream: true }),
  }
}

function tokensFor({ expectedTokens = 0 }: CompleteOptions): number {
  return Math.min(Math.max(USUAL_TOKENS, expectedTokens), MOST_TOKENS)
}

function calledTools(messages: readonly ModelMessage[]): readonly ToolOffer[] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  const names = new Set(calls.map(({ name }) => name))
  return [...names].map((name) => ({ name, description: 'Not there any more.', inputSchema: { type: 'object' } }))
}

function turnsOf(messages: readonly ModelMessage[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = blocksOf(message)
    const last = turns.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) turns[turns.length - 1] = { role, content: resultsFirst([...last.content, ...content]) }
    else turns.push({ role, content })
  }
  return turns[0]?.role === 'user'
    ? turns
    : [{ role: 'user', content: [textBlock('(What was said before is left out.)')] }, ...turns]
}

function blocksOf(message: ModelMessage): readonly Block[] {
  if (message.role === 'tool') {
    const { callId, content, isError } = message
    return [{ type: 'tool_result', tool_use_id: callId, content, ...(isError ? { is_error: true } : {}) }]
  }
  const texts = message.content.trim() === '' ? [] : [textBlock(message.content)]
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return [
    ...texts,
    ...calls.map(({ id, name, arguments: args }) => ({ type: 'tool_use', id, name, input: sentArguments(args) })),
  ]
}

function textBlock(text: string): Block {
  return { type: 'text', text }
}

function resultsFirst(blocks: readonly Block[]): readonly Block[] {
  const isResult = ({ type }: Block): boolean => type === 'tool_result'
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))]
}
