// Runs one step of the bench of the store on PostgreSQL. Its argument is the step as JSON, and it prints the results as JSON. Times are in
// milliseconds: wall times, unless they are called CPU.
import fs from 'node:fs'
import { openMemory } from '../../dist/index.js'
import { newId } from '../../dist/model/id.js'
import { parsePostgresAddress } from '../../dist/model/postgres-address.js'
import { revisionOf } from '../../dist/model/revision.js'
import { SCHEMA } from '../../dist/recall/entry-document.js'
import { englishAnalyzer } from '../../dist/search/analyzer.js'
import { SearchIndex } from '../../dist/search/search-index.js'
import { postgresStore } from '../../dist/stores/postgres/store.js'
import { startCountingProxy } from '../../scripts/counting-proxy.mjs'
import { generateImage, generateNote, QUERY as WORDS } from '../file/generated.mjs'
import { median } from '../table.mjs'
import { generateAgents, QUERY } from './agents.mjs'
import { adding, connectBare } from './bare.mjs'

/** Until both sides are compiled: ours is more code. */
const WARM_ROUNDS = 25
const WARM_WRITES = 300
const OPENS = 3
const AGENT = 'main'
let written = 1_000_000

const steps = { writes, write, recalls, fillOne, fillAgents, past, open }
const { step, ...given } = JSON.parse(process.argv[2])
console.log(JSON.stringify(await steps[step](given)))

function openStore(url) {
  return postgresStore({ place: parsePostgresAddress(url), timezone: 'UTC', lockWaitMs: 60_000 })
}

/** All sides in one process, in alternating order, each in a schema of its own. */
async function writes({ url, rounds, perRound }) {
  return {
    plain: await compareWrites(`${url}_plain`, { rounds, perRound, isNamed: false }),
    named: await compareWrites(`${url}_named`, { rounds, perRound, isNamed: true }),
  }
}

async function compareWrites(url, { rounds, perRound, isNamed }) {
  const sides = {
    ours: await ourWrites(`${url}_ours`, isNamed),
    pipelined: await bareWrites(`${url}_pipelined`, true),
    awaited: await bareWrites(`${url}_awaited`, false),
  }
  const times = Object.fromEntries(['wall', 'cpu', 'server'].map((what) => [what, emptyTimes(sides)]))
  const order = Object.entries(sides)
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    for (const [name, { write, backends }] of order.reverse()) {
      const notes = Array.from({ length: perRound }, () => newNote(isNamed))
      const pids = await backends()
      const [serverMs, cpu, started] = [cpuOf(pids), process.cpuUsage(), performance.now()]
      for (const note of notes) await write(note)
      const { user, system } = process.cpuUsage(cpu)
      if (round < 0) continue
      times.wall[name].push((performance.now() - started) / perRound)
      times.cpu[name].push((user + system) / 1000 / perRound)
      times.server[name].push((cpuOf(pids) - serverMs) / perRound)
    }
  }
  for (const { close } of Object.values(sides)) await close()
  return Object.fromEntries(Object.entries(times).map(([what, all]) => [what, medians(all)]))
}

async function ourWrites(url, isNamed) {
  const memory = await openMemory({ store: openStore(url) })
  await memory.remember('first')
  const watcher = await connectBare(url)
  return {
    write: ({ name, content }) => memory.remember(content, isNamed ? { name } : {}),
    async backends() {
      const statement = "SELECT pid FROM pg_stat_activity WHERE application_name = 'keepsake'"
      return (await watcher.query(statement)).rows.map(({ pid }) => pid)
    },
    async close() {
      await watcher.end()
      await memory.close()
    },
  }
}

async function bareWrites(url, isPipelined) {
  await initialize(url)
  const client = await connectBare(url, { pipeline: isPipelined })
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const add = adding(client, { isPipelined })
  return { write: add, backends: async () => rows.map(({ pid }) => pid), close: () => client.end() }
}

/** The same tables. */
async function initialize(url) {
  const memory = await openMemory({ store: openStore(url) })
  await memory.remember('first')
  await memory.close()
}

function newNote(isNamed) {
  const at = new Date().toISOString()
  const note = {
    ...generateNote(++written),
    kind: isNamed ? 'note' : 'experience',
    name: isNamed ? `Written ${process.pid} ${written}` : null,
    id: newId(Date.now()),
    createdAt: at,
    updatedAt: at,
    expiresAt: null,
  }
  return { ...note, revision: revisionOf(note) }
}

/** Of the server's processes; Linux tells it to the nanosecond. */
function cpuOf(pids) {
  return pids.reduce((sum, pid) => {
    try {
      return sum + Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    } catch {
      return Number.NaN
    }
  }, 0)
}

/** Begins when its input ends. @returns the time of every write */
async function write({ url, writers, count, isBare }) {
  const each = isBare ? await bareWriters(url, writers) : await ourWriters(url, writers)
  for (let n = 0; n * writers < WARM_WRITES; n++) await Promise.all(each.map(({ write }) => write(newNote(false))))
  process.stdout.write('ready\n')
  for await (const _ of process.stdin);
  const ms = []
  const writing = each.map(async ({ write }) => {
    for (let n = 0; n < count; n++) {
      const note = newNote(false)
      const started = performance.now()
      await write(note)
      ms.push(performance.now() - started)
    }
  })
  await Promise.all(writing)
  for (const { close } of each) await close()
  return { ms }
}

async function ourWriters(url, writers) {
  const memory = await openMemory({ store: openStore(url) })
  const write = ({ content }) => memory.remember(content)
  await write({ content: 'first' })
  const close = () => memory.close()
  return Array.from({ length: writers }, (_, n) => ({ write, close: n === 0 ? close : async () => {} }))
}

async function bareWriters(url, writers) {
  const clients = await Promise.all(Array.from({ length: writers }, () => connectBare(url, { pipeline: true })))
  return clients.map((client) => ({ write: adding(client, { isPipelined: true }), close: () => client.end() }))
}

async function recalls({ url, rounds, perRound }) {
  const roundTrips = await countRecall(url)
  const memory = await openMemory({ store: openStore(url) })
  const client = await connectBare(url)
  const sides = {
    recall: () => memory.search(WORDS, { mode: 'lexical' }),
    get: () => memory.get('Gate'),
    bare: () => client.query('SELECT 1'),
  }
  const times = emptyTimes(sides)
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    for (const [name, run] of Object.entries(sides)) {
      const started = performance.now()
      for (let n = 0; n < perRound; n++) await run()
      if (round >= 0) times[name].push((performance.now() - started) / perRound)
    }
  }
  await client.end()
  await memory.close()
  return { ...medians(times), roundTrips }
}

async function countRecall(url) {
  const proxy = await startCountingProxy(Number(new URL(url).port))
  const place = { ...parsePostgresAddress(url), port: proxy.port }
  const memory = await openMemory({ store: postgresStore({ place, timezone: 'UTC' }) })
  await memory.remember('The gate code is 4711.', { name: 'Gate' })
  for (let n = 0; n < 100; n++) await memory.remember(generateNote(n).content)
  for (let n = 0; n < 2; n++) await memory.search(WORDS, { mode: 'lexical' })
  proxy.roundTrips()
  await memory.search(WORDS, { mode: 'lexical' })
  const count = proxy.roundTrips()
  await memory.close()
  await proxy.close()
  return count
}

function fillOne({ url, changes }) {
  return fill(url, generateImage({ entries: Math.round(changes / 1.31), changes }))
}

async function fillAgents({ url, agents, perAgent }) {
  const filled = await fill(url, generateAgents({ agents, perAgent }))
  for (const agent of ['a5', 'a6']) {
    const memory = await openMemory({ store: openStore(url), agent })
    await memory.search(QUERY, { mode: 'lexical' })
    await memory.close()
  }
  await setBack(url, 'a6')
  return filled
}

/** The tables are analysed, as autovacuum does after a minute. */
async function fill(url, image) {
  const started = performance.now()
  const store = openStore(url)
  await store.adopt(image)
  await store.close()
  const seconds = (performance.now() - started) / 1000
  const client = await connectBare(url)
  await client.query('VACUUM ANALYZE')
  await client.end()
  return { seconds }
}

/** The saved index of an agent, as if half of all changes had come later. */
async function setBack(url, agent) {
  const store = openStore(url)
  const key = `words-en-${agent}`
  const { index, note } = SearchIndex.open(await store.derived.read(key), englishAnalyzer(), SCHEMA)
  const { cursor, ...rest } = JSON.parse(note)
  const earlier = { ...cursor, number: Math.floor(cursor.number / 2) }
  const isKept = await store.derived.write(key, index.save(JSON.stringify({ ...rest, cursor: earlier })))
  if (!isKept) throw new Error('the index was not kept')
  await store.close()
}

/** Calls on an open memory, the first of which do not count. */
async function past({ url, call, calls }) {
  const store = openStore(url)
  const memory = await openMemory({ store, agent: AGENT })
  const client = await connectBare(url)
  const { rows } = await client.query('SELECT id, content FROM entries ORDER BY seq LIMIT $1', [calls + 1])
  const run = {
    write: () => memory.apply([{ op: 'add', kind: 'note', content: newNote(false).content }]),
    undo: () => memory.undo(),
    log: () => memory.log({ limit: 20 }),
    purge: (n) => store.purge([rows[n].id]),
    barePurge: (n) => barePurge(client, rows[n].id, rows[n].content),
  }[call]
  const ms = []
  for (let n = 0; n <= calls; n++) ms.push(await timed(() => run(n)))
  await client.end()
  await memory.close()
  return { ms: median(ms.slice(1)) }
}

/** What finds the words of an entry in all that is kept, deletes it, and lets its space be reused. */
async function barePurge(client, id, content) {
  await client.query('SELECT number FROM changes WHERE strpos(operations, $1) > 0', [id])
  await client.query('SELECT id FROM versions WHERE strpos(entry, $1) > 0', [content])
  await client.query('BEGIN')
  for (const table of ['entries', 'names', 'versions']) await client.query(`DELETE FROM ${table} WHERE id = $1`, [id])
  await client.query('COMMIT')
  await client.query('VACUUM')
}

/** From opening to the answer, in a process that has loaded the program. */
async function open({ url, agent, call: how }) {
  await warmUp(url)
  const asked = { agent: { behind: 'a6', afresh: 'a7' }[how] ?? agent }
  const calls = {
    saved: found,
    afresh: found,
    behind: found,
    name: (memory) => memory.get('Note 7'),
    list: (memory) => memory.heads({ kinds: ['note'] }),
    asOf: async (memory) => found(await memory.asOf(new Date(Date.now() - 3_600_000).toISOString())),
  }
  const ms = []
  for (let n = 0; n < OPENS; n++) {
    let memory
    ms.push(
      await timed(async () => {
        memory = await openMemory({ workspace: url, ...asked })
        await calls[how](memory)
      }),
    )
    await memory.close()
    if (how === 'afresh') await forgetIndex(url, asked.agent)
  }
  return { ms: median(ms) }
}

async function found(memory) {
  const { hits } = await memory.search(QUERY, { mode: 'lexical' })
  if (hits.length === 0) throw new Error('nothing was found')
}

async function forgetIndex(url, agent) {
  const client = await connectBare(url)
  await client.query('DELETE FROM derived WHERE key = $1', [`words-en-${agent}`])
  await client.end()
}

/** On a memory of a few entries, so that the program is loaded. */
async function warmUp(url) {
  const memory = await openMemory({ workspace: url.replace(/schema=.*/, 'schema=bench_warm'), agent: 'warm' })
  await memory.remember(`${QUERY} of nothing`, { name: 'Note 7' })
  await found(memory)
  await memory.get('Note 7')
  await memory.heads()
  await memory.close()
}

async function timed(run) {
  const started = performance.now()
  await run()
  return performance.now() - started
}

function emptyTimes(sides) {
  return Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
}

function medians(times) {
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]))
}
