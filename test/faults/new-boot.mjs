// Makes a workspace look as if the machine had been started anew since it was last written: the journal's header names the
// boot, so another one is put there, in place, with a checksum that is right.
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { encodeHeader } from '../../dist/codec/journal-record.js'

export function pretendNewBoot(root) {
  const folder = join(root, '.state/journal')
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const bytes = readFileSync(path)
    const end = bytes.indexOf(10)
    if (end === -1) continue
    const header = JSON.parse(bytes.subarray(17, end).toString('utf8'))
    const line = encodeHeader({ ...header, boot: '0'.repeat(header.boot.length) })
    if (line.length !== end + 1) throw new Error('the header would change its length')
    const fd = openSync(path, 'r+')
    writeSync(fd, line, 0, line.length, 0)
    closeSync(fd)
  }
}
