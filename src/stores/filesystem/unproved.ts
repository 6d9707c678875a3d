/**
 * After a crash: is a file as the journal says, as it was before, torn, or changed by a hand? Pure. The answer is the bytes
 * that the file should be taken to hold; equal to what it holds when nothing of ours is missing.
 */
import { parseLog } from '../../codec/log.ts'
import { hashBytes } from '../disk/reading.ts'
import type { Unproved } from './catalog.ts'

/** `null` stands for "no file". */
export function settle(found: Uint8Array | null, unproved: Unproved): Uint8Array | null {
  const base = unproved.text === undefined ? found : settleText(found, unproved.text, unproved)
  if (unproved.appends.length === 0) return base
  const bytes = settleAppends(base, unproved.appends)
  return base !== null && bytes.equals(base) ? base : bytes
}

/**
 * Whether something else stands where a whole text of ours was to be, and nothing proves that it was made from ours. For a file
 * that is settled: what a crash has left is brought in order by then, so it is a hand's.
 */
export function isSuperseded(settled: Uint8Array | null, { text, appends }: Unproved): boolean {
  if (text === undefined) return false
  if (settled === null) return text !== null
  if (text === null) return appends.length === 0
  return !Buffer.from(settled).includes(text.trimEnd())
}

function settleText(found: Uint8Array | null, text: string | null, unproved: Unproved): Uint8Array | null {
  const { earlier, between = [], lead } = unproved
  const ours = text === null ? null : Buffer.from(text)
  if (earlier.has(found === null ? null : hashBytes(found))) return ours
  // Additions that the first whole text had in it may be missing or torn.
  if (lead && lead.appends.length > 0 && hashBytes(settleAppends(found, lead.appends)) === lead.after) return ours
  if (found === null) return null
  const texts = text === null ? between : [...between, text]
  return texts.some((one) => isTorn(found, one)) ? ours : found
}

/** As a power cut leaves it: empty, the beginning of the new text, or blocks that never reached the disk. */
function isTorn(found: Uint8Array, ours: Uint8Array | string): boolean {
  if (found.includes(0)) return true
  const bytes = Buffer.from(ours)
  return found.length < bytes.length && Buffer.compare(found, bytes.subarray(0, found.length)) === 0
}

function settleAppends(found: Uint8Array | null, appends: Readonly<Unproved['appends']>): Buffer<ArrayBuffer> {
  let bytes = Buffer.from(found ?? [])
  for (const { at, append } of appends) bytes = settleAppend(bytes, at, Buffer.from(append), append)
  return bytes
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
