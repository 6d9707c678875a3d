/** The API of OpenAI's chat completions: from its words to ours, and back. */

export function openaiRequest({ model, messages = [], tools = [], tool_choice, stream = false }) {
  const conversation = messages.filter(({ role }) => role !== 'system').map(messageOf)
  return {
    protocol: 'openai',
    model,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => textOf(content))
      .join('\n'),
    messages: conversation,
    tools: tools.map((tool) => tool.function.name),
    mayCall: tools.length > 0 && tool_choice !== 'none',
    isStreamed: stream,
  }
}

function messageOf({ role, content, tool_calls: calls = [] }) {
  const toolCalls = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    arguments: JSON.parse(call.function.arguments),
  }))
  return { role, content: textOf(content), ...(toolCalls.length > 0 ? { toolCalls } : {}) }
}

function textOf(content) {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')
}

export function openaiAnswer(reply, request) {
  const { text = '', toolCalls = [] } = reply
  const message = {
    role: 'assistant',
    content: text,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls.map(callOf(request)) } : {}),
  }
  return {
    ...{ id: `chat-${request.number}`, object: 'chat.completion', created: 0, model: request.model },
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: usageOf(reply, request),
  }
}

/** The same as a stream, each event a text. */
export function openaiEvents(reply, request) {
  const { text = '', pieces = text.match(/\s*\S+\s*/g) ?? [], toolCalls = [] } = reply
  const chunk = (delta, more = {}) => ({
    ...{ id: `chat-${request.number}`, object: 'chat.completion.chunk', created: 0, model: request.model },
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  })
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    ...toolCalls.map((call, index) => chunk({ tool_calls: [callOf(request)(call, index)] })),
    chunk({}, { finish_reason: finishOf(reply) }),
    { ...chunk({}), choices: [], usage: usageOf(reply, request) },
  ]
  return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n']
}

function callOf({ number }) {
  return ({ name, arguments: args = {} }, index) => ({
    ...{ index, id: `call_${number}_${index}`, type: 'function' },
    function: { name, arguments: JSON.stringify(args) },
  })
}

function finishOf({ stop, toolCalls = [] }) {
  if (stop === 'length') return 'length'
  if (stop === 'refused') return 'content_filter'
  return toolCalls.length > 0 ? 'tool_calls' : 'stop'
}

/** Four characters are a token, more or less. */
function usageOf({ text = '' }, { body }) {
  return tokens(JSON.stringify(body.messages).length, text.length)
}

function tokens(asked, answered) {
  const [prompt_tokens, completion_tokens] = [Math.ceil(asked / 4), Math.ceil(answered / 4)]
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
