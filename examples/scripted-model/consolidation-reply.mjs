/**
 * Condensing by rules: the history entry is made of the conversation's first words, and each thing that the user wants kept in
 * mind becomes a line of the memory. It reads the sections of the prompt in src/prompt/consolidation-prompt.ts.
 */

export function isConsolidation(prompt) {
  return prompt.includes('"history_entry"') && prompt.includes('"memory_update"')
}

export function consolidationReply(prompt) {
  const messages = messagesIn(section(prompt, 'Conversation to Process'))
  const mustNotRewrite = prompt.includes('must not be rewritten')
  const memory = section(prompt, 'Current Long-term Memory')
  return JSON.stringify({
    history_entry: historyEntry(messages, /It is now (\S+ \S+)/.exec(prompt)?.[1] ?? ''),
    memory_update: mustNotRewrite ? '' : memoryUpdate(memory === '(empty)' ? '' : memory, messages),
  })
}

function section(prompt, title) {
  const [, text = ''] = prompt.split(`\n## ${title}\n`)
  const end = text.search(/\n## (?:Already Condensed|Conversation to Process|Your Reply)\n/)
  return (end < 0 ? text : text.slice(0, end)).trim()
}

/** A message begins with "[2026-03-01 12:30] USER:"; its other lines are indented. */
function messagesIn(conversation) {
  const messages = []
  for (const line of conversation.split('\n')) {
    const [, time, role, words] = /^\[([^\]]+)\] ([^:·]+)·?: ?(.*)$/.exec(line) ?? []
    if (time !== undefined) messages.push({ time, role, text: words })
    else if (messages.length > 0) messages.at(-1).text += `\n${line.trim()}`
  }
  return messages
}

function historyEntry(messages, now) {
  const users = messages.filter(isUsers)
  const [first, last] = [users[0] ?? messages[0], messages.at(-1)]
  const time = /^\d{4}-/.test(last?.time ?? '') ? last.time : now
  const words = (first?.text ?? 'nothing').split(/\s+/).slice(0, 30).join(' ')
  return `[${time}] The user began with: ${words} (${messages.length} messages)`
}

/** The memory as it is, and a line for each thing that it does not hold yet. */
function memoryUpdate(memory, messages) {
  const things = messages.filter(isUsers).flatMap(({ text }) => thingsToKeep(text))
  const lines = [...new Set(things.map((thing) => `- ${thing}`))].filter((line) => !memory.includes(line))
  return [memory, lines.join('\n')]
    .filter((part) => part !== '')
    .join(memory.endsWith('\n') || isList(memory) ? '\n' : '\n\n')
}

function isUsers({ role }) {
  return role.startsWith('USER')
}

function isList(memory) {
  return /^[-*] .*$/.test(memory.split('\n').at(-1))
}

/** "Remember that …", "my name is …", "we use …": what follows up to the end of the sentence. */
function thingsToKeep(text) {
  const found = text.matchAll(/\b(?:remember that |(?=my name is |we use ))([^\n]{3,300}?)(?=[.!?](?:\s|$)|\n|$)/gi)
  return [...found].map(([, thing]) => thing.charAt(0).toUpperCase() + thing.slice(1))
}
