/**
 * What of a message was said by the one whose message it is. Clients write their own words into it, between tags that begin a
 * line; we write our blocks. Both go. Time is proportional to the length of the text.
 */
import { withoutInjected } from '../../model/injected.ts'

/** Results of tools are whole files and logs; what they were is enough to know. */
const MOST_RESULT_CHARACTERS = 2000

const MOST_NAME_CHARACTERS = 200

/** The tags of all clients: none of them is a word that people write at the beginning of a line. */
const TAGS = [
  'system-reminder',
  'task-notification',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'bash-stdout',
  'bash-stderr',
  'command-message',
  'user-prompt-submit-hook',
  'ide_opened_file',
  'ide_selection',
  'environment_context',
  'user_instructions',
  'permissions instructions',
  'skills_instructions',
  'apps_instructions',
  'collaboration_mode',
  'recommended_plugins',
  'codex_internal_context',
  'model_switch',
  'turn_aborted',
  'subagent_notification',
  'user_shell_command',
  'session_context',
  'hook_context',
  'state_snapshot',
] as const

// A bound on the attributes keeps a text of nothing but beginnings from taking forever.
const OPENING = new RegExp(`^[ \\t]*<(${TAGS.join('|')})(?:\\s[^<>]{0,300})?>`, 'gm')

/** Empty where nothing is left. */
export function saidIn(text: string): string {
  return wellFormed(withoutInjected(withoutClientBlocks(text))).trim()
}

/** Texts of one message, a paragraph each. */
export function joined(texts: readonly string[]): string {
  return texts
    .map(saidIn)
    .filter((text) => text !== '')
    .join('\n\n')
}

export function resultText(text: string): string {
  const said = saidIn(text)
  if (said.length <= MOST_RESULT_CHARACTERS) return said
  const kept = wellFormed(said.slice(0, MOST_RESULT_CHARACTERS)).replace(/\ufffd$/, '')
  return `${kept}\n… (${said.length - kept.length} more characters left out)`
}

export function toolName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const name = wellFormed(value.slice(0, MOST_NAME_CHARACTERS)).trim()
  return name === '' ? undefined : name
}

/** A block that is never closed was cut: where it begins the text, there is nothing else; further on, the tag is somebody's word. */
function withoutClientBlocks(text: string): string {
  let kept = ''
  let from = 0
  const neverClosed = new Set<string>()
  for (const { 0: opening, 1: tag = '', index } of text.matchAll(OPENING)) {
    if (index < from || neverClosed.has(tag)) continue
    const closing = `</${tag}>`
    const closes = text.indexOf(closing, index + opening.length)
    if (closes === -1) {
      if (kept.trim() === '' && text.slice(from, index).trim() === '') return ''
      neverClosed.add(tag)
      continue
    }
    kept += text.slice(from, index)
    from = closes + closing.length
  }
  return from === 0 ? text : kept + text.slice(from)
}

/** What a memory can keep: no half characters, no NUL. */
function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
