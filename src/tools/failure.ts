/** An error as a model reads it: what and where, and what to do now. */
import type { ErrorCode, KeepsakeError } from '../errors.ts'
import type { ToolResult } from './tool.ts'

/** A message may quote what was sent. */
const MOST_CHARACTERS = 1000

/** In place of what a person would be told: a model is to repair no files and to open no gates on its own. */
const FOR_A_MODEL: Partial<Readonly<Record<ErrorCode, string>>> = {
  LOCKED: 'Another program is writing. Try again in a moment; if it stays so, tell the user.',
  READ_ONLY: 'This is for the user to change. Tell them, if it matters.',
  IO: 'Tell the user what failed.',
  DAMAGED: 'It was left as it is. Tell the user.',
  FOREIGN: 'It was left as it is. Tell the user.',
  NEWER: 'It was left as it is. Tell the user that Keepsake needs an update.',
  UNSUPPORTED: 'Tell the user.',
  CLOSED: 'Tell the user.',
}

export function failure(error: KeepsakeError, hints: Partial<Readonly<Record<ErrorCode, string>>>): ToolResult {
  const { code } = error
  const message =
    error.message.length <= MOST_CHARACTERS ? error.message : `${error.message.slice(0, MOST_CHARACTERS)}…`
  const hint = suggests(error) ? error.hint : (hints[code] ?? FOR_A_MODEL[code] ?? error.hint)
  return {
    text: hint === undefined ? message : `${message}\n${hint}`,
    structured: { error: { code, message, ...(hint === undefined ? {} : { hint }) } },
    isError: true,
  }
}

/** Names that come near are worth more than any advice. */
function suggests({ code, data }: KeepsakeError): boolean {
  return code === 'NOT_FOUND' && Array.isArray(data['near']) && data['near'].length > 0
}
