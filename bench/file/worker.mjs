// Writing, under the Node that all programs of this bench run under: every side in this one process, in turns, so that the machine's
// noise meets all alike. Told by its argument (JSON) what to do, it prints what it measured as JSON.
//   files    big and small (memories), sqlite, plain (SQLite without FTS5), floor (any file as large as big); all are written to
import fs from 'node:fs'
import { promisify } from 'node:util'
import { openMemory } from '../../dist/index.js'
import { median } from '../table.mjs'

const fdatasync = promisify(fs.fdatasync)
const AT_ONCE = 8
const WARM_ROUNDS = 8
const CHUNK_BYTES = 1024 * 1024

const { files, passages: passagesFile, rounds, perRound, folds } = JSON.parse(process.argv[2])
const { passages } = JSON.parse(fs.readFileSync(passagesFile, 'utf8'))
let written = 0

const [big, small] = [await openMemory({ workspace: files.big }), await openMemory({ workspace: files.small })]
const bytesBefore = fs.statSync(files.big).size
await apply(big)
const applyBytes = fs.statSync(files.big).size - bytesBefore
const floor = openFloor(files.floor, applyBytes)
const sqlite = files.sqlite === undefined ? undefined : await openSqliteSides(files)

const taken = await inTurns({
  big: () => apply(big),
  small: () => apply(small),
  eight: () => Promise.all(Array.from({ length: AT_ONCE }, () => apply(small))),
  floor: () => floor.append(),
  ...(sqlite && { sqlite: () => sqlite.indexed(nextNote()), plain: () => sqlite.plain(nextNote()) }),
})
floor.close()
sqlite?.close()
const fold = await measureFolds()
await big.close()
await small.close()
const medians = Object.fromEntries(Object.entries(taken).map(([side, times]) => [side, median(times)]))
console.log(JSON.stringify({ applyBytes, medians, fold }))

function nextNote() {
  written++
  return { name: `Written ${written}`, content: passages[written % passages.length] }
}

function apply(memory) {
  const operations = [{ op: 'add', scope: memory.agent, kind: 'note', ...nextNote() }]
  return memory.store.apply({ operations, origin: { by: 'agent' } })
}

/** A program that appends as many bytes to a file as large, and syncs them. */
function openFloor(file, length) {
  const fd = fs.openSync(file, 'r+')
  const bytes = Buffer.alloc(length, 'x')
  let end = fs.fstatSync(fd).size
  return {
    async append() {
      fs.writeSync(fd, bytes, 0, length, end)
      end += length
      await fdatasync(fd)
    },
    close: () => fs.closeSync(fd),
  }
}

async function openSqliteSides({ sqlite: file, plain: plainFile }) {
  const { openSqlite, dropIndex, inserting } = await import('../search/engines/sqlite-memory.mjs')
  const [indexed, plain] = [openSqlite(file), openSqlite(plainFile)]
  dropIndex(plain)
  return {
    indexed: inserting(indexed),
    plain: inserting(plain),
    close() {
      indexed.close()
      plain.close()
    },
  }
}

/** Forwards and backwards, so that none always comes after the same other one. */
async function inTurns(sides) {
  const out = Object.fromEntries(Object.keys(sides).map((side) => [side, []]))
  const order = Object.entries(sides)
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    for (const [side, run] of order.reverse()) {
      const times = await timesOf(run)
      if (round >= 0) out[side].push(...times)
    }
  }
  return out
}

async function timesOf(run) {
  const out = []
  for (let index = 0; index < perRound; index++) out.push(await wallMs(run))
  return out
}

async function wallMs(run) {
  const started = performance.now()
  await run()
  return performance.now() - started
}

/** Against a program that copies the file and syncs the copy. */
async function measureFolds() {
  const [ours, copies, stalls] = [[], [], []]
  for (let round = 0; round < folds; round++) {
    const stall = watchStalls()
    ours.push(await wallMs(() => big.store.fold()))
    stalls.push(await stall.longestMs())
    copies.push(await wallMs(() => copy(files.big, `${files.floor}.copy`)))
  }
  const bytes = fs.statSync(files.big).size
  return { ms: median(ours), copyMs: median(copies), stallMs: median(stalls), bytes }
}

/** How long nothing else of this process could run. */
function watchStalls() {
  let [last, longest] = [performance.now(), 0]
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  return {
    async longestMs() {
      await new Promise((resolve) => setTimeout(resolve, 5))
      clearInterval(timer)
      return longest
    },
  }
}

async function copy(from, to) {
  const [source, target] = [fs.openSync(from, 'r'), fs.openSync(to, 'w')]
  const bytes = Buffer.alloc(CHUNK_BYTES)
  for (let read = 1; read > 0; ) {
    read = fs.readSync(source, bytes)
    fs.writeSync(target, bytes, 0, read)
  }
  await fdatasync(target)
  fs.closeSync(source)
  fs.closeSync(target)
  fs.rmSync(to)
}
