/** An error as a model reads it: what and where, and what to do now. */
import type { ErrorCode, KeepsakeError } from '../errors.ts'
import type { ToolResult } from './tool.ts'

/** A message may quote what was sent. */
const MOST_CHARACTERS = 1000

export function failure(error: KeepsakeError, hints: Partial<Readonly<Record<ErrorCode, string>>>): ToolResult {
  const { code } = error
  const message =
    error.message.length <= MOST_CHARACTERS ? error.message : `${error.message.slice(0, MOST_CHARACTERS)}…`
  const hint = suggests(error) ? error.hint : (hints[code] ?? error.hint)
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
