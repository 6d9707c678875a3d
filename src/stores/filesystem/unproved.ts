/**
 * After a crash: is a file as the journal says, as it was before, torn, or changed by a hand? Pure. The answer is the bytes
 * that the file should be taken to hold; equal to what it holds when nothing of ours is missing.
 */
import { parseLog } from '../../codec/log.ts'
import type { Unproved } from './catalog.ts'
import { hashBytes } from './system.ts'

/** `null` stands for "no file". */
export function settle(found: Uint8Array | null, unproved: Unproved): Uint8Array | null {
  const base = unproved.text === undefined ? found : settleText(found, unproved.text, unproved.earlier)
  if (unproved.appends.length === 0) return base
  let bytes = Buffer.from(base ?? [])
  for (const { at, append } of unproved.appends) bytes = settleAppend(bytes, at, Buffer.from(append), append)
  return base !== null && bytes.equals(base) ? base : bytes
}

function settleText(
  found: Uint8Array | null,
  text: string | null,
  earlier: ReadonlySet<string | null>,
): Uint8Array | null {
  const ours = text === null ? null : Buffer.from(text)
  if (found === null) return earlier.has(null) || ours === null ? ours : null
  if (earlier.has(hashBytes(found))) return ours
  return ours !== null && isTorn(found, ours) ? ours : found
}

/** As a power cut leaves it: empty, the beginning of the new text, or blocks that never reached the disk. */
function isTorn(found: Uint8Array, ours: Uint8Array): boolean {
  if (found.includes(0)) return true
  return found.length < ours.length && Buffer.compare(found, ours.subarray(0, found.length)) === 0
}

function settleAppend(found: Buffer<ArrayBuffer>, at: number, wanted: Buffer, text: string): Buffer<ArrayBuffer> {
  if (found.subarray(at, at + wanted.length).equals(wanted)) return found
  if (found.length >= at && isTorn(found.subarray(at), wanted)) return Buffer.concat([found.subarray(0, at), wanted])
  // Not where we put it: an edit above has moved it, or it never arrived.
  const ids = idsIn(text)
  if (ids.length > 0 && ids.every((id) => found.includes(`"id":"${id}"`))) return found
  const fresh = found.length > 0 && found[found.length - 1] !== 10 ? '\n' : ''
  return Buffer.concat([found, Buffer.from(fresh), wanted])
}

function idsIn(text: string): string[] {
  const blocks = [...parseLog(text, 'time').blocks, ...parseLog(text, 'instant').blocks]
  return blocks.flatMap((block) => block.entry.id ?? [])
}
