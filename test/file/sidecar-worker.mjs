// One of several processes that take a lock, let go of it and remove its folder, in any order, until its input ends. Under the lock
// it takes the next number from a counter; it prints the numbers it took, one a line, and a line that begins with "!" when its lock
// was gone meanwhile.
//   node sidecar-worker.mjs FOLDER
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { acquireLock, removeLock } from '../../dist/stores/disk/lock.js'

const WIDTH = 12
const folder = process.argv[2]
const lockFolder = join(folder, 'memory.keepsake.lock')

let stopped = false
process.stdin.on('end', () => {
  stopped = true
})
process.stdin.resume()

function takeNumber() {
  const fd = openSync(join(folder, 'counter'), constants.O_RDWR | constants.O_CREAT, 0o600)
  const bytes = Buffer.alloc(WIDTH)
  readSync(fd, bytes, 0, WIDTH, 0)
  const number = Number(bytes.toString().replaceAll('\0', '')) + 1
  // Long enough for another to come between.
  for (let spin = Math.random() * 20_000; spin > 0; spin--);
  writeSync(fd, String(number).padStart(WIDTH), 0)
  closeSync(fd)
  return number
}

while (!stopped) {
  const held = await acquireLock(lockFolder, 30_000)
  console.log(takeNumber())
  if (!held.isHeld()) console.log('! lost the lock while holding it')
  const chance = Math.random()
  if (chance < 0.3) held.releaseAndRemove()
  else held.release()
  if (chance > 0.8) removeLock(lockFolder)
  if (chance > 0.5) await breathe()
}
removeLock(lockFolder)
