/** Anthropic's Messages API: from its words to ours, and back. */

export function anthropicRequest({ model, system = '', messages = [], tools = [], tool_choice, stream = false }) {
  const conversation = messages.flatMap(messagesOf)
  if (tools.length === 0 && conversation.some(({ role, toolCalls }) => role === 'tool' || toolCalls))
    throw new Error('Requests which include `tool_use` or `tool_result` blocks must define tools')
  return {
    protocol: 'anthropic',
    model,
    system: textOf(system),
    messages: conversation,
    tools: tools.map(({ name }) => name),
    mayCall: tools.length > 0 && tool_choice?.type !== 'none',
    isStreamed: stream,
  }
}

/** One of theirs may hold several of ours: the results of tools are the user's words there. */
function messagesOf({ role, content }) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  const text = textOf(blocks)
  return [
    ...results.map((result) => ({ role: 'tool', content: textOf(result.content ?? '') })),
    ...(text === '' && calls.length === 0 ? [] : [{ role, content: text, ...callsOf(calls) }]),
  ]
}

function callsOf(calls) {
  return calls.length > 0 ? { toolCalls: calls.map(({ id, name, input }) => ({ id, name, arguments: input })) } : {}
}

function textOf(content) {
  return typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('')
}

export function anthropicAnswer(reply, request) {
  const { text = '', toolCalls = [] } = reply
  return {
    ...headOf(request),
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...toolCalls.map(callOf(request))],
    stop_reason: stopOf(reply),
    stop_sequence: null,
    usage: { input_tokens: inputTokens(request), output_tokens: outputTokens(reply) },
  }
}

/** The same as a stream, each event a text. */
export function anthropicEvents(reply, request) {
  const { text = '', pieces = text.match(/\s*\S+\s*/g) ?? [], toolCalls = [] } = reply
  const message = {
    ...headOf(request),
    content: [],
    stop_reason: null,
    usage: { input_tokens: inputTokens(request), output_tokens: 0 },
  }
  const events = [
    { type: 'message_start', message },
    { type: 'ping' },
    ...(pieces.length > 0
      ? blockOf(
          0,
          { type: 'text', text: '' },
          pieces.map((piece) => ({ type: 'text_delta', text: piece })),
        )
      : []),
    ...toolCalls.flatMap((call, index) => {
      const { input, ...block } = callOf(request)(call, index)
      return blockOf(index + 1, { ...block, input: {} }, [
        { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      ])
    }),
    { type: 'message_delta', delta: { stop_reason: stopOf(reply) }, usage: { output_tokens: outputTokens(reply) } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function blockOf(index, content_block, deltas) {
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function headOf({ number, model }) {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model }
}

function callOf({ number }) {
  return ({ name, arguments: input = {} }, index) => ({ type: 'tool_use', id: `toolu_${number}_${index}`, name, input })
}

function stopOf({ stop, toolCalls = [] }) {
  if (stop === 'length') return 'max_tokens'
  if (stop === 'refused') return 'refusal'
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn'
}

/** Four characters are a token, more or less. */
function inputTokens({ body }) {
  return Math.ceil(JSON.stringify(body.messages).length / 4)
}

function outputTokens({ text = '' }) {
  return Math.ceil(text.length / 4)
}
