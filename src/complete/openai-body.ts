/** What is asked for, in the words of OpenAI's API. */
import type { CompleteOptions, ModelMessage } from '../ports/complete.ts'
import { sentArguments } from './tool-calls.ts'

/** `isOpenai`: their own service has another word for the longest answer, which others do not know. */
export function openaiBody(isOpenai: boolean): (asked: CompleteOptions, messages: readonly ModelMessage[]) => object {
  return ({ model, system, tools = [], toolChoice, maxTokens, onText }, messages) => ({
    model,
    messages: [...(system ? [{ role: 'system', content: system }] : []), ...messages.map(openaiMessage)],
    ...(tools.length === 0 ? {} : { tools: tools.map(({ inputSchema, ...words }) => toolOf(words, inputSchema)) }),
    // Refused where there are no tools.
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...(maxTokens === undefined ? {} : { [isOpenai ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
    ...(onText === undefined ? {} : { stream: true, stream_options: { include_usage: true } }),
  })
}

function toolOf(words: { readonly name: string; readonly description: string }, parameters: object): object {
  return { type: 'function', function: { ...words, parameters } }
}

function openaiMessage(message: ModelMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content }
  const { role, content } = message
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  if (calls.length === 0) return { role, content }
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: calls.map(({ id, name, arguments: args }) => ({
      ...{ id, type: 'function' },
      function: { name, arguments: JSON.stringify(sentArguments(args)) },
    })),
  }
}
