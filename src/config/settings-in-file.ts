/**
 * What a memory in one file was made with, read without a store: its settings are the first frame behind the header. Nothing else
 * is looked at, and nothing is said about a file that has none there: the store does that.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { decodeFrame, FRAME_BYTES } from '../codec/one-file/frame.ts'
import { HEADER_BYTES } from '../codec/one-file/header.ts'
import { decodeSettings } from '../codec/one-file/settings.ts'

/** Settings are a few hundred bytes. */
const BEGINNING_BYTES = 4096

export function settingsInFile(path: string): Readonly<Record<string, unknown>> {
  const frame = decodeFrame(beginningOf(path).subarray(HEADER_BYTES), crc32)
  if (typeof frame === 'string' || frame.head.type !== 'sett') return {}
  return decodeSettings(frame.payload, { path, at: HEADER_BYTES + FRAME_BYTES })
}

function beginningOf(path: string): Uint8Array {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const bytes = Buffer.alloc(BEGINNING_BYTES)
    return bytes.subarray(0, readSync(fd, bytes))
  } finally {
    closeSync(fd)
  }
}
