// Makes a workspace look as crashes leave it, without one.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { encodeHeader } from '../../dist/codec/journal-record.js'
import { formatOwner, thisProcess } from '../../dist/stores/disk/owner.js'

/**
 * As if the machine had been started anew since it was last written: the journal's header names the boot, so another one is
 * put there, in place, with a checksum that is right.
 */
export function pretendNewBoot(root) {
  const folder = join(root, '.state/journal')
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of names.filter((one) => one.endsWith('.jsonl'))) {
    const path = join(folder, name)
    const bytes = readFileSync(path)
    const end = bytes.indexOf(10)
    // A header that the cut has torn names no boot.
    if (end === -1 || bytes.subarray(0, end).includes(0)) continue
    const header = JSON.parse(bytes.subarray(17, end).toString('utf8'))
    const line = encodeHeader({ ...header, boot: '0'.repeat(header.boot.length) })
    if (line.length !== end + 1) throw new Error('the header would change its length')
    const fd = openSync(path, 'r+')
    writeSync(fd, line, 0, line.length, 0)
    fsyncSync(fd)
    closeSync(fd)
  }
}

/** What a killed writer leaves beside the files: its lock, and a temporary file. */
export function leaveLockAndLitter(root) {
  const lock = join(root, '.state/lock')
  const [top] = readdirSync(lock)
  const dead = { ...thisProcess(), start: '1' }
  symlinkSync(formatOwner(dead), join(lock, String(Number.parseInt(top, 10) + 1)))
  writeFileSync(join(root, '.state/tmp/0123456789abcdef'), 'half a te', { mode: 0o600 })
}
