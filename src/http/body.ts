/** Reads a body into a value, within bounds of size and depth. Never holds more than the limit, whatever is announced or sent. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpLimits } from './limits.ts'
import type { Refusal } from './part.ts'

/** The value, or why it is not read, or undefined when the client has gone away. */
export async function readJson(
  req: IncomingMessage,
  res: ServerResponse,
  limits: HttpLimits,
): Promise<{ readonly value: unknown } | Refusal | undefined> {
  const tooLarge = { status: 413, message: `A body has at most ${limits.bodyBytes} bytes.` }
  if (Number(req.headers['content-length'] ?? 0) > limits.bodyBytes) return tooLarge
  // Only now: a client that asks before it sends is spared the sending of what is refused.
  if (req.headers.expect !== undefined) res.writeContinue()
  const bytes = await bytesOf(req, limits.bodyBytes)
  if (bytes === 'gone') return undefined
  if (bytes === 'too large') return tooLarge
  if (depthOf(bytes) > limits.bodyDepth) {
    return { status: 400, message: `The body is nested more than ${limits.bodyDepth} deep.` }
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const hasPrototype = /__proto__|\\u005f/i.test(text) && namesPrototype(text)
    return hasPrototype
      ? { status: 400, message: 'The body has a key "__proto__", which is not taken.' }
      : { value: JSON.parse(text) }
  } catch {
    return { status: 400, message: 'The body is not JSON in UTF-8.' }
  }
}

/** Whoever copies a value key by key, as schema checkers do, would lose such a key, or worse. */
function namesPrototype(text: string): boolean {
  let isNamed = false
  JSON.parse(text, (key, value) => {
    isNamed ||= key === '__proto__'
    return value
  })
  return isNamed
}

/** By events, not by iteration: leaving an iteration early would tear the connection down before the refusal is sent. */
function bytesOf(req: IncomingMessage, maxBytes: number): Promise<Uint8Array | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    let parts: Buffer[] = []
    let size = 0
    const take = (part: Buffer) => {
      size += part.length
      if (size <= maxBytes) {
        parts.push(part)
      } else {
        parts = []
        req.off('data', take)
        resolve('too large')
      }
    }
    req.on('data', take)
    req.once('end', () => resolve(Buffer.concat(parts)))
    req.once('close', () => resolve('gone'))
    req.once('error', () => resolve('gone'))
  })
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** How deep brackets lie in each other, strings apart. Right for JSON; for what is not, the parser speaks next. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (OPENING.has(byte)) deepest = Math.max(deepest, ++depth)
    else if (CLOSING.has(byte)) depth--
  }
  return deepest
}
