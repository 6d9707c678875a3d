// The floor for a durable `remember`: a program that makes the same system calls with the same number of bytes, and does
// nothing else. Lock (link, list, unlink), look (stats, the end of the log, no links on the way), journal (write,
// fdatasync, still there), log (append), unlock (rename). Kept in step with what strace shows of ours.
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const fdatasync = promisify(fs.fdatasync)

export function openBare(folder) {
  const lock = path.join(folder, 'lock')
  const journal = path.join(folder, 'journal.jsonl')
  const day = path.join(folder, 'daily', 'day.md')
  fs.mkdirSync(lock, { recursive: true })
  fs.mkdirSync(path.dirname(day), { recursive: true })
  fs.writeFileSync(day, '# 2026-11-15\n')
  fs.symlinkSync('owner', path.join(lock, '0.done'))
  const fd = fs.openSync(journal, 'a', 0o600)
  const record = Buffer.alloc(740, 'x')
  const block = Buffer.alloc(106, 'y')
  let generation = 0
  return {
    async remember() {
      generation++
      fs.lstatSync(folder)
      fs.symlinkSync('13k0h1b7c9:445a679ff19e:1ulb8sc:fat:6b3o:008a4403/2s', path.join(lock, String(generation)))
      fs.readdirSync(lock)
      fs.unlinkSync(path.join(lock, `${generation - 1}.done`))
      fs.lstatSync(folder)
      fs.lstatSync(journal)
      fs.lstatSync(folder)
      fs.lstatSync(journal)
      fs.lstatSync(day)
      const reading = fs.openSync(day, 'r')
      const { size } = fs.fstatSync(reading)
      fs.readSync(reading, Buffer.allocUnsafe(2), 0, 2, size - 2)
      fs.closeSync(reading)
      for (const part of [folder, lock, path.dirname(day), day]) fs.lstatSync(part)
      fs.writeSync(fd, record)
      await fdatasync(fd)
      fs.lstatSync(journal)
      fs.fstatSync(fd)
      fs.lstatSync(path.dirname(day))
      const appending = fs.openSync(day, 'a')
      fs.fstatSync(appending)
      fs.writeSync(appending, block)
      fs.closeSync(appending)
      fs.renameSync(path.join(lock, String(generation)), path.join(lock, `${generation}.done`))
    },
    close() {
      fs.closeSync(fd)
    },
  }
}
