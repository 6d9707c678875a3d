/** A conversation in the words of the AI SDK's language models. */
import type { ModelMessage } from '../ports/complete.ts'
import { sentArguments } from './tool-calls.ts'

export function aiSdkPrompt(system: string | undefined, messages: readonly ModelMessage[]): readonly object[] {
  return [...(system ? [{ role: 'system', content: system }] : []), ...messages.flatMap(messageOf)]
}

function messageOf(message: ModelMessage): readonly object[] {
  if (message.role === 'tool') {
    const { callId: toolCallId, name: toolName, content: value, isError } = message
    const output = { type: isError ? 'error-text' : 'text', value }
    return [{ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }]
  }
  const texts = message.content === '' ? [] : [{ type: 'text', text: message.content }]
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const content = [
    ...texts,
    ...calls.map(({ id: toolCallId, name: toolName, arguments: args }) => ({
      ...{ type: 'tool-call', toolCallId, toolName },
      input: sentArguments(args),
    })),
  ]
  return content.length === 0 ? [] : [{ role: message.role, content }]
}
