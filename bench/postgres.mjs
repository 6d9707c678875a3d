// The store on PostgreSQL against bare statements by the package `pg`, on one real server that is started for this, with its data on the
// temporary folder's disk and `fsync` on. All sides take turns. The server answers over the loopback address, so a round trip costs little
// here; on a network it is most of what a call takes, and test/postgres/round-trips.test.ts counts them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { postgresProgram, removePostgres, startPostgres } from '../scripts/postgres-program.mjs'
import { processCpuMs } from './process-cpu.mjs'
import { median, row } from './table.mjs'

const WORKER = new URL('./postgres/worker.mjs', import.meta.url).pathname
const KEEPSAKE = new URL('../dist/cli/main.js', import.meta.url).pathname
const WRITERS = 16
const FEW_AGENTS = 10
const FEW_CHANGES = 1000
const CALLS = 10
/** Smaller memories are too quick to hold to a bar. */
const HELD_AT = { agents: 1000, changes: 100_000 }

export async function benchPostgres(size) {
  const program = postgresProgram()
  if (program.problem) return leaveOut(program.problem)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-postgres-'))
  // Otherwise checkpoints of the filling fall into the measuring.
  const settings = { max_wal_size: '8GB' }
  const server = await startPostgres({ binFolder: program.binFolder, folder, settings, isTemporary: true })
  if (server.problem) return leaveOut(server.problem)
  try {
    const urlOf = (name) => `${server.url}?schema=bench_${name}`
    const given = { ...size, urlOf, serverPid: server.pid }
    return [
      ...(await writeRows(given)),
      ...(await concurrentRows(given)),
      ...(await recallRows(given)),
      ...(await pastRows(given)),
      ...(await agentRows(given)),
    ]
  } finally {
    await server.kill()
    removePostgres(folder)
  }
}

function leaveOut(problem) {
  console.error(`bench: postgres is LEFT OUT: ${problem}`)
  return []
}

async function writeRows({ urlOf, rounds, perRound }) {
  console.error('bench: writing')
  const { plain, named } = await run('writes', { url: urlOf('write'), rounds, perRound })
  const [what, pipelined, awaited] = ['durable remember', 'bare, pipelined', 'bare, each awaited']
  const wall = ({ wall }, name, label, bar) => row(label, 'ms wall', wall.ours, name, wall[SIDES[name]], bar)
  const cpu = ({ cpu }, name, label, bar) => row(label, 'ms CPU', cpu.ours, name, cpu[SIDES[name]], bar)
  const SIDES = { [pipelined]: 'pipelined', [awaited]: 'awaited' }
  return [
    wall(plain, pipelined, what, 1.5),
    wall(plain, awaited, what),
    cpu(plain, pipelined, what),
    cpu(plain, awaited, what),
    row(`${what}, in the server`, 'ms CPU', plain.server.ours, pipelined, plain.server.pipelined),
    row(`${what}, in the server`, 'ms CPU', plain.server.ours, awaited, plain.server.awaited),
    wall(named, pipelined, `${what} with a name`),
    wall(named, awaited, `${what} with a name`),
  ]
}

/** The median time of a write, of all writers. */
async function concurrentRows({ urlOf, concurrent, rounds }) {
  console.error('bench: concurrent writers')
  const times = { one: [], inOne: [], processes: [], bareOne: [], bareClients: [], bareProcesses: [] }
  const few = Math.ceil(concurrent / 4)
  for (let round = 0; round < Math.ceil(rounds / 10); round++) {
    const url = urlOf('concurrent')
    times.one.push(...(await writers(1, { url, writers: 1, count: concurrent })))
    times.bareOne.push(...(await writers(1, { url, writers: 1, count: concurrent, isBare: true })))
    times.inOne.push(...(await writers(1, { url, writers: WRITERS, count: few })))
    times.bareClients.push(...(await writers(1, { url, writers: WRITERS, count: few, isBare: true })))
    times.processes.push(...(await writers(WRITERS, { url, writers: 1, count: few })))
    times.bareProcesses.push(...(await writers(WRITERS, { url, writers: 1, count: few, isBare: true })))
  }
  const ms = Object.fromEntries(Object.entries(times).map(([side, all]) => [side, median(all)]))
  const write = (what, ours, against, theirs, bar) => row(what, 'ms wall', ms[ours], against, ms[theirs], bar)
  return [
    write(`a write of ${WRITERS} writers in one process`, 'inOne', 'of one writer', 'one', 3),
    write(`a write of ${WRITERS} writing processes`, 'processes', 'of one writer', 'one', 3),
    write(`a bare write of ${WRITERS} clients in one process`, 'bareClients', 'of one client', 'bareOne'),
    write(`a bare write of ${WRITERS} processes`, 'bareProcesses', 'of one client', 'bareOne'),
    write(`a write of ${WRITERS} writing processes`, 'processes', 'bare, as many processes', 'bareProcesses'),
  ]
}

async function recallRows({ urlOf, rounds, perRound }) {
  console.error('bench: recalling')
  const { recall, get, bare, roundTrips } = await run('recalls', { url: urlOf('recall'), rounds, perRound })
  return [
    row('recall by words, nothing new', 'round trips', roundTrips, 'SELECT 1', 1, 1),
    row('recall by words, nothing new', 'ms wall', recall, 'SELECT 1', bare),
    row('get by name', 'ms wall', get, 'SELECT 1', bare),
  ]
}

async function pastRows({ urlOf, changes, opens }) {
  console.error(`bench: filling with ${changes} changes`)
  const sizes = { few: FEW_CHANGES, many: changes }
  for (const [name, count] of Object.entries(sizes)) {
    const { seconds } = await run('fillOne', { url: urlOf(`past_${name}`), changes: count })
    console.error(`bench: ${count} changes took ${seconds.toFixed(1)} s`)
  }
  const steps = ['write', 'undo', 'log', 'purge', 'barePurge']
  const times = await inTurns(opens, sizes, steps, (name, step) =>
    run('past', { url: urlOf(`past_${name}`), call: step, calls: step.endsWith('urge') ? 2 : CALLS }),
  )
  const at = `at ${changes.toLocaleString('en')} changes`
  const bar = changes >= HELD_AT.changes ? 1.5 : undefined
  const flat = (what, step) =>
    row(`${what} ${at}`, 'ms wall', times[step].many, `at ${FEW_CHANGES}`, times[step].few, bar)
  return [
    flat('write', 'write'),
    flat('undo', 'undo'),
    flat('log --limit 20', 'log'),
    flat('purge', 'purge'),
    row(`purge ${at}`, 'ms wall', times.purge.many, 'bare search, deletes, VACUUM', times.barePurge.many),
  ]
}

/** From opening a memory to its first recall, in a process that has loaded the program; and the whole command. */
async function agentRows({ urlOf, agents, perAgent, opens }) {
  const sizes = { few: Math.min(FEW_AGENTS, agents), many: agents }
  for (const [name, count] of Object.entries(sizes)) {
    console.error(`bench: filling ${count} agents with ${perAgent} entries each`)
    const { seconds } = await run('fillAgents', { url: urlOf(`agents_${name}`), agents: count, perAgent })
    console.error(`bench: ${count * perAgent} entries took ${seconds.toFixed(1)} s`)
  }
  const agent = 'a5'
  const measure = (name, step) => {
    const url = urlOf(`agents_${name}`)
    return step === 'command' ? { ms: command(url, agent) } : run('open', { url, agent, call: step })
  }
  const steps = ['afresh', 'saved', 'behind', 'command', 'name', 'list', 'asOf']
  const times = await inTurns(opens, sizes, steps, measure)
  const at = `with ${agents.toLocaleString('en')} agents x ${perAgent.toLocaleString('en')}`
  const bar = agents >= HELD_AT.agents ? 1.5 : undefined
  const same = (what, step, unit = 'ms wall') =>
    row(`${what} ${at}`, unit, times[step].many, `with ${sizes.few}`, times[step].few, bar)
  return [
    same('open to first recall', 'saved'),
    same('open to first recall, no index saved', 'afresh'),
    same('open to first recall, index of before half the writes', 'behind'),
    same('keepsake recall', 'command'),
    same('open and get by name', 'name'),
    same('open and list', 'list'),
    same('open and recall as of an hour ago', 'asOf'),
  ]
}

function command(url, agent) {
  const started = performance.now()
  processCpuMs([KEEPSAKE, 'recall', 'status', '--agent', agent, '--workspace', url])
  return performance.now() - started
}

/** Alternates between the memories. @returns for each step the median of each memory, in ms */
async function inTurns(rounds, sizes, steps, measure) {
  const times = {}
  for (let round = 0; round < rounds; round++) {
    for (const step of steps) {
      times[step] ??= Object.fromEntries(Object.keys(sizes).map((name) => [name, []]))
      for (const name of Object.keys(sizes)) times[step][name].push((await measure(name, step)).ms)
    }
  }
  const medians = (bySize) => Object.fromEntries(Object.entries(bySize).map(([name, all]) => [name, median(all)]))
  return Object.fromEntries(Object.entries(times).map(([step, bySize]) => [step, medians(bySize)]))
}

/** Processes that each write `count` times, with `writers` at once; they begin together. @returns the ms of every write */
async function writers(processes, given) {
  const all = Array.from({ length: processes }, () => start('write', given))
  await Promise.all(all.map(({ ready }) => ready))
  for (const { child } of all) child.stdin.end()
  return (await Promise.all(all.map(({ ended }) => ended))).flatMap(({ ms }) => ms)
}

function run(step, given) {
  const { child, ended } = start(step, given)
  child.stdin.end()
  return ended
}

function start(step, given) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const child = spawn(process.execPath, [WORKER, JSON.stringify({ step, ...given })], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let [output, isReady] = ['', () => {}]
  const ready = new Promise((resolve) => {
    isReady = resolve
  })
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
    if (output.startsWith('ready\n')) isReady()
  })
  const ended = once(child, 'close').then(([status]) => {
    if (status !== 0) throw new Error(`${step} failed`)
    return JSON.parse(output.replace('ready\n', ''))
  })
  return { child, ready, ended }
}
