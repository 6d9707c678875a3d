/** The history entry of a conversation that no model condensed: marked as such, with the end of what was said. Pure. */
import { keepableText } from '../model/content.ts'
import { withoutInjected } from '../model/injected.ts'
import type { Said } from '../prompt/said.ts'
import { timeStamp } from './time-stamp.ts'

const MOST_MESSAGES = 10
const MOST_CHARACTERS = 200

export function rawHistoryText(conversation: readonly Said[], at: string, zone: string): string {
  const own = conversation.flatMap(({ role, content }) => {
    const text = inOneLine(withoutInjected(content))
    return text === '' ? [] : [{ role: inOneLine(role), text }]
  })
  const last = own.slice(-MOST_MESSAGES)
  const count = `${own.length} ${own.length === 1 ? 'message' : 'messages'}`
  const told = last.length < own.length ? `${count}, the last ${last.length}:` : own.length === 0 ? count : `${count}:`
  const lines = last.map(({ role, text }) => `- ${role}: ${cut(text)}`)
  return [`${timeStamp(at, zone)} [raw-fallback] Kept as it was said: ${told}`, ...lines].join('\n')
}

function inOneLine(text: string): string {
  return keepableText(text).replace(/\s+/g, ' ').trim()
}

/** By Unicode's characters, never through one; the sign that something is missing comes on top. */
function cut(text: string): string {
  const characters = [...text.slice(0, 2 * MOST_CHARACTERS + 2)]
  return characters.length <= MOST_CHARACTERS ? text : `${characters.slice(0, MOST_CHARACTERS).join('')}…`
}
