/**
 * A piece of a transcript as a text that a record can hold: a line of JSON that says whose it is, for the hash in its id can't be read
 * back; then its lines as they are, or in base64 where they are no plain text. Both ways, to the byte.
 */
import { isMapping, isText } from '../../../codec/head-shape.ts'
import type { SessionId } from '../../disk/kept-session.ts'
import { decodeText } from '../../disk/reading.ts'
import { NEWLINE } from '../../disk/session-tail.ts'
import { damaged } from '../log/log-record.ts'
import { parsed } from '../parsed.ts'
import { RECORD_BYTES } from '../server/shelf.ts'

const BASE64 = 'base64'

export function encodePiece({ scope, key }: SessionId, bytes: Uint8Array): string {
  const text = plainText(bytes)
  return text === undefined
    ? `${JSON.stringify({ scope, key, form: BASE64 })}\n${Buffer.from(bytes).toString(BASE64)}`
    : `${JSON.stringify({ scope, key })}\n${text}`
}

/** `record`: how an error names it. */
export function decodePiece(text: string, record: string): { readonly id: SessionId; readonly bytes: Uint8Array } {
  const end = text.indexOf('\n')
  const said = end === -1 ? undefined : parsed(text.slice(0, end))
  if (!isSession(said)) throw damaged(record, 'it does not say which session it is of')
  const form = isMapping(said) && said['form'] === BASE64 ? BASE64 : 'utf8'
  return { id: { scope: said.scope, key: said.key }, bytes: Buffer.from(text.slice(end + 1), form) }
}

/**
 * A whole transcript as pieces: the metadata by itself, so that a list reads no more; then as many lines as a record holds, or one that
 * is longer; and by itself what has no end. At least one piece, for a transcript may be empty.
 */
export function piecesOf({ scope, key }: SessionId, text: Uint8Array): Uint8Array[] {
  const form = plainText(text) === undefined ? { form: BASE64 } : {}
  const room = RECORD_BYTES - Buffer.byteLength(JSON.stringify({ scope, key, ...form })) - 1
  const most = Math.max(1, plainText(text) === undefined ? Math.floor(room / 4) * 3 : room)
  const whole = text.lastIndexOf(NEWLINE) + 1
  const pieces: Uint8Array[] = []
  for (let start = 0; start < whole; ) {
    const end = pieces.length === 0 ? text.indexOf(NEWLINE) + 1 : endOfPiece(text.subarray(0, whole), start, most)
    pieces.push(text.subarray(start, end))
    start = end
  }
  if (whole < text.length || pieces.length === 0) pieces.push(text.subarray(whole))
  return pieces
}

function endOfPiece(lines: Uint8Array, start: number, most: number): number {
  if (lines.length - start <= most) return lines.length
  const last = lines.lastIndexOf(NEWLINE, start + most - 1)
  return (last >= start ? last : lines.indexOf(NEWLINE, start)) + 1
}

/** A zero byte ends a text for more than one program that a server may keep its texts in. */
function plainText(bytes: Uint8Array): string | undefined {
  const text = decodeText(bytes)
  return text?.includes('\0') ? undefined : text
}

function isSession(
  value: unknown,
): value is { readonly scope: string; readonly key: string; readonly [key: string]: unknown } {
  return (
    isMapping(value) &&
    isText(value['scope']) &&
    isText(value['key']) &&
    value['key'] !== '' &&
    value['key'].isWellFormed()
  )
}
