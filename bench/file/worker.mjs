// Runs one step of the bench of the store in one file. Its argument is the step as JSON, and it prints the results as JSON. Times are
// CPU time of this whole process, in milliseconds, unless they are called wall times.
import fs from 'node:fs'
import { openMemory } from '../../dist/index.js'
import { newId } from '../../dist/model/id.js'
import { revisionOf } from '../../dist/model/revision.js'
import { fileStore } from '../../dist/stores/file/store.js'
import { median } from '../table.mjs'
import { firstAnswer, INDEX_KEY, inserting, openBare, rowsFor, searchIndex } from './bare.mjs'
import { generateImage, generateNote, QUERY } from './generated.mjs'

const WARM_ROUNDS = 50
const AT_ONCE = 8
/** Higher than any number in a generated memory. */
const FIRST_NEW = 1_000_000
let written = FIRST_NEW

const steps = { fill, writes, openStore, openRecall, openBareFile, purges, write, undo, log }

const { step, ...given } = JSON.parse(process.argv[2])
console.log(JSON.stringify(await steps[step](given)))

async function fill({ file, isIndexed, ...size }) {
  const store = fileStore({ path: file })
  await store.adopt(generateImage(size))
  await store.close()
  const plainBytes = fs.statSync(file).size
  if (isIndexed) {
    const memory = await openMemory({ workspace: file })
    await memory.search(QUERY, { mode: 'lexical' })
    await memory.close()
  }
  return { plainBytes, bytes: fs.statSync(file).size }
}

/** All sides in one process, in alternating order, so that noise affects all of them equally. */
async function writes({ files, rounds, perRound }) {
  const sides = {
    big: await ours(files.big),
    small: await ours(files.small),
    eight: await ours(files.eight, AT_ONCE),
    bareBig: bare(files.bareBig),
    bareSmall: bare(files.bareSmall),
  }
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  const wallTimes = structuredClone(times)
  const order = Object.entries(sides)
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    for (const [name, side] of order.reverse()) {
      const notes = Array.from({ length: perRound }, side.prepare)
      const started = performance.now()
      const ms = await cpuMs(async () => {
        for (const note of notes) await side.run(note)
      })
      const wallMs = performance.now() - started
      if (round < 0) continue
      times[name].push(ms / perRound)
      wallTimes[name].push(wallMs / perRound)
    }
  }
  for (const side of Object.values(sides)) await side.close()
  return { cpu: medians(times), wall: medians(wallTimes) }
}

function medians(times) {
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]))
}

async function ours(file, atOnce = 1) {
  const store = fileStore({ path: file })
  await store.settings()
  const prepare = () =>
    Array.from({ length: atOnce }, () => {
      const { scope, kind, name, content, origin } = newNote()
      return { operations: [{ op: 'add', scope, kind, name, content }], origin }
    })
  return {
    prepare,
    run: (batches) => Promise.all(batches.map((batch) => store.apply(batch))),
    close: () => store.close(),
  }
}

function bare(file) {
  const db = openBare(file)
  const rowOf = rowsFor(db)
  return { prepare: () => rowOf(newNote()), run: inserting(db), close: () => db.close() }
}

function newNote() {
  const at = new Date().toISOString()
  const note = {
    ...generateNote(++written),
    name: `Written ${written}`,
    id: newId(Date.now()),
    createdAt: at,
    updatedAt: at,
  }
  return { ...note, revision: revisionOf(note) }
}

/** Only the store, with the same work on the index as the bare side. */
function openStore(given) {
  return measured(given, async (file) => {
    const store = fileStore({ path: file })
    const { timezone } = await store.settings()
    const { cursor } = await store.feed('now')
    const ids = searchIndex(await store.derived.read(INDEX_KEY), QUERY)
    const entries = await Promise.all(ids.map((id) => store.get(id)))
    return timezone && cursor && entries.length
  })
}

function openRecall(given) {
  return measured(given, async (file) => {
    const memory = await openMemory({ workspace: file })
    const { hits } = await memory.search(QUERY, { mode: 'lexical', limit: 10 })
    return hits.length
  })
}

function openBareFile(given) {
  return measured(given, (file) => firstAnswer(file, QUERY).length)
}

/** Purges one entry at a time, and each time runs a bare VACUUM of an equally large file. */
async function purges({ files, count }) {
  const store = fileStore({ path: files.ours })
  const db = openBare(files.bare)
  const ids = (await store.heads()).slice(0, count).map(({ id }) => id)
  const [ourMs, bareMs] = [[], []]
  for (const id of ids) {
    ourMs.push(await cpuMs(() => store.purge([id])))
    bareMs.push(
      await cpuMs(() => {
        db.exec('VACUUM')
        db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
      }),
    )
  }
  await store.close()
  return { ours: median(ourMs), bare: median(bareMs) }
}

function write(given) {
  return inMemory(given, (memory) => memory.apply([{ op: 'add', kind: 'note', content: newNote().content }]))
}

function undo(given) {
  return inMemory(given, (memory) => memory.undo())
}

function log(given) {
  return inMemory(given, (memory) => memory.log({ limit: 20 }))
}

function inMemory(given, run) {
  return measured(given, async (file) => {
    const memory = await openMemory({ workspace: file })
    await run(memory)
    await memory.close()
  })
}

/** Runs on another file first, so that the program is loaded. */
async function measured({ file, warmUp }, run) {
  await run(warmUp)
  let value
  const ms = await cpuMs(async () => {
    value = await run(file)
  })
  return { ms, value }
}

async function cpuMs(run) {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
