/**
 * What is kept of a line that is too long: its two ends, for there the id stands that its sender waits for. Only what is
 * certain to be the id of the message itself is taken for it.
 */
import { Buffer } from 'node:buffer'
import type { RequestId } from '@modelcontextprotocol/server'

const END_BYTES = 4096

/** Of a line that is longer than both; also of such ends and what came after them. */
export function endsOf(line: readonly Buffer[]): Buffer[] {
  const whole = Buffer.concat(line)
  // Copies, so that the rest is let go of.
  return [Buffer.from(whole.subarray(0, END_BYTES)), Buffer.from(whole.subarray(-END_BYTES))]
}

const ID = '"id"\\s*:\\s*(-?\\d{1,15}|"[^"\\\\]*")\\s*'
/** Nothing but plain members before it. */
const AT_HEAD = new RegExp(`^\\s*\\{\\s*(?:"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]*"\\s*,\\s*)*${ID},`)
/** What the last brace closes is the message. */
const AT_TAIL = new RegExp(`[,{]\\s*${ID}(?:,\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]*"\\s*)*\\}\\s*$`)

export function idAtEnds([head, tail]: readonly Buffer[]): RequestId | null {
  const id = AT_TAIL.exec(String(tail ?? ''))?.[1] ?? AT_HEAD.exec(String(head ?? ''))?.[1]
  return id === undefined ? null : JSON.parse(id)
}
