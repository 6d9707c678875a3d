// What a power cut does to one file, without a disk to cut: what was written since the last sync is on the disk in part, sector by
// sector and in any order, torn or as zeros. What was acknowledged was synced before; of the rest all or nothing counts.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../dist/testing/random.js'
import { checkWorkspace } from './invariants.mjs'
import { anyWrite } from './lost-writes.mjs'
import { openAs, rootIn, scratchFolder, stateOf } from './workspace.mjs'

const HEADER_BYTES = 128
/** Of the header, without its slots: another one is another file. */
const FIXED_BYTES = 64
const SECTOR_BYTES = 512
const DERIVED = 'vectors'

/** Writes of every kind in one file, and `cuts` of its power at any of them. */
export async function lostTail({ seed, steps, cuts }) {
  const random = seededRandom(seed)
  const folder = scratchFolder('lost-tail')
  const moments = await writeMany(join(folder, 'whole'), random, steps)
  for (let cut = 0; cut < cuts; cut++) {
    const at = random.int(moments.length)
    const [now, next] = [moments[at], moments[at + 1]]
    const inFlight = next && isSameFile(now, next) && random.chance(2) ? next : undefined
    const root = rootIn(join(folder, `cut-${cut}`), 'file')
    mkdirSync(join(folder, `cut-${cut}`), { mode: 0o700 })
    writeFileSync(root, leftOf(now, inFlight, random), { mode: 0o600 })
    const allowed = [now, ...(inFlight ? [inFlight] : [])].map(({ state }) => state)
    await checkWorkspace(root, { look: (store) => mustBeOneOf(store, allowed, `seed ${seed}, cut ${cut} after ${at}`) })
  }
  rmSync(folder, { recursive: true })
}

/**
 * The file after each write: its bytes, which of them are on the disk for sure, and what was written behind the last sync. A sync
 * takes with it the slot of the write before.
 */
async function writeMany(folder, random, steps) {
  mkdirSync(folder, { mode: 0o700 })
  const root = rootIn(folder, 'file')
  const opened = await openAs(1, root)
  const { store } = opened
  await store.init()
  const made = readFileSync(root)
  const moments = [{ bytes: made, durable: made, unsynced: [], state: await stateOf(store) }]
  for (let n = 0; n < steps; n++) {
    const isSynced = await anyStep(opened, random, n)
    const before = moments.at(-1)
    const bytes = readFileSync(root)
    moments.push({ ...syncedIn(before, bytes, isSynced), bytes, state: await stateOf(store) })
  }
  await store.close()
  return moments
}

/** Whether it syncs what it writes. */
async function anyStep({ store, memory }, random, n) {
  switch (random.int(8)) {
    case 0:
      await store.derived.write(DERIVED, Buffer.alloc(100 + random.int(3000), n))
      return false
    case 1:
      await store.sessions.append('main', `s ${n % 2}`, [{ n, text: 'said '.repeat(random.int(400)) }])
      return true
    case 2:
      await store.fold()
      return true
    default:
      await anyWrite(memory, random, n)
      return true
  }
}

function syncedIn(before, bytes, isSynced) {
  if (!isSameFile(before, { bytes })) return { durable: bytes, unsynced: [] }
  const added = { at: before.bytes.length, bytes: bytes.subarray(before.bytes.length) }
  if (bytes.equals(before.bytes)) return before
  if (!isSynced) return { durable: before.durable, unsynced: [...before.unsynced, added] }
  const header = bytes.subarray(0, HEADER_BYTES)
  const durable = Buffer.concat([before.bytes.subarray(0, HEADER_BYTES), bytes.subarray(HEADER_BYTES)])
  return { durable, unsynced: [{ at: 0, bytes: header }] }
}

function isSameFile(one, other) {
  return one.bytes.subarray(0, FIXED_BYTES).equals(other.bytes.subarray(0, FIXED_BYTES))
}

/** `inFlight`: the next write had been made, and not been synced. */
function leftOf(now, inFlight, random) {
  const added = inFlight ? [{ at: now.bytes.length, bytes: inFlight.bytes.subarray(now.bytes.length) }] : []
  const pieces = [...now.unsynced, ...added].flatMap((write) => [...sectorsOf(write)])
  const kept = pieces.filter(() => !random.chance(3)).map((piece) => torn(piece, random))
  // A file may be as long as it was to be, and hold nothing there yet.
  const long = random.chance(2) ? pieces : kept
  const size = Math.max(now.durable.length, ...long.map(({ at, bytes }) => at + bytes.length))
  const left = Buffer.concat([now.durable, Buffer.alloc(size - now.durable.length)])
  for (const { at, bytes } of kept) bytes.copy(left, at)
  return left
}

function* sectorsOf({ at, bytes }) {
  for (let from = at; from < at + bytes.length; ) {
    const to = Math.min(at + bytes.length, (Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES)
    yield { at: from, bytes: bytes.subarray(from - at, to - at) }
    from = to
  }
}

/** What is added may break off anywhere, for the file ends somewhere; the header's sector is the old one or the new one, as disks promise. */
function torn({ at, bytes }, random) {
  if (at === 0) return { at, bytes }
  return { at, bytes: random.chance(4) ? bytes.subarray(0, random.int(bytes.length)) : bytes }
}

async function mustBeOneOf(store, allowed, when) {
  const state = await stateOf(store)
  if (!allowed.includes(state)) throw new Error(`${when}: the memory is ${state}, not ${allowed}`)
  const derived = await store.derived.read(DERIVED)
  if (derived?.some((byte) => byte !== derived[0])) throw new Error(`${when}: derived bytes are torn`)
}
