// Checks every state that a kill can leave, without a process for each. The program stops before each file-system call it makes
// (`stop` in shim.c). A kill there would leave exactly what is in the folder at that moment, so the folder is copied. When the
// program has ended, each copy is checked as if its writer had been killed: the process that its lock names is dead by then.
// A copy has different inodes, so now and then the program is killed for real.
import { spawn } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digest16 } from '../../dist/model/revision.js'
import { fingerprint } from './invariants.mjs'
import { buildShim, cleanEnvironment, readCalls, waitUntilStopped } from './tools.mjs'

const STATES_PER_REAL_KILL = 40
/** Limit for copies not yet checked. One scenario has a journal of eight megabytes. */
const MAX_COPIED_BYTES = 64 * 1024 * 1024

/** Counters for a sweep. `states`: kills simulated. `checked`: distinct states among them. `real`: real kills. */
export function newKillCounts() {
  return { states: 0, checked: 0, real: 0 }
}

/**
 * Plays a kill before every call of a program, in the middle of every write, and after the last call. The program starts
 * again after each real kill and stops at the calls from there on.
 *
 * - `prepare(root)` makes the folder that the program is given, `args(root)` says how it is started.
 * - `check(root, ended, fault)` resolves to a description of the problem, or undefined.
 * - `killForReal(fault)` kills a real process, for states that can't be built from copies.
 * - `counts` is from `newKillCounts`.
 *
 * Resolves to the problems and the calls that the program makes when nothing stops it.
 */
export async function killAtEveryCall({ folder, prepare, args, check, killForReal, counts }) {
  const problems = []
  const note = (problem) => problem !== undefined && problems.push(problem)
  const statesBefore = counts.states
  for (let from = 0; ; ) {
    const root = join(folder, `from-${from}`)
    await prepare(root)
    const { states, ended, killedAt } = await runUntilRealKill({ root, args: args(root), from, counts })
    for (const { fault, copy, stdout } of states) {
      const killed = { ...ended, status: null, signal: 'SIGKILL', stdout, stderr: '' }
      note(copy === undefined ? await killForReal(fault) : await check(copy, killed, fault))
      counts.checked++
    }
    note(await check(root, ended, killedAt === undefined ? undefined : { mode: 'kill', at: killedAt }))
    if (killedAt === undefined) {
      if (counts.states === statesBefore && ended.calls.length > 0) note('it never stopped')
      return { problems, calls: ended.calls }
    }
    from = killedAt
  }
}

/** Runs the program, stopping from call `from` on, until a real kill is due or it ends. */
async function runUntilRealKill({ root, args, from, counts }) {
  const logs = mkdtempSync(join(tmpdir(), 'keepsake-stops-'))
  const files = { stdout: join(logs, 'stdout'), stderr: join(logs, 'stderr'), log: join(logs, 'calls') }
  const program = start(args, { root, from, ...files })
  try {
    const { states, killedAt } = await copyAtEachStop(program.child, { root, from, counts, ...files })
    const { status, signal } = await program.ended
    const [stdout, stderr] = [files.stdout, files.stderr].map((path) => readFileSync(path, 'utf8'))
    const ended = { status, signal, stdout, stderr, calls: readCalls(files.log), syncedTwice: [] }
    return { states, killedAt, ended }
  } finally {
    program.child.kill('SIGKILL') // after an error it would stay stopped
    rmSync(logs, { recursive: true })
  }
}

async function copyAtEachStop(child, { root, from, counts, stdout, log }) {
  const states = []
  let [copied, last] = [0, undefined]
  while (await waitUntilStopped(child)) {
    const calls = readCalls(log)
    const at = calls.length - 1
    const said = readFileSync(stdout, 'utf8')
    if (last) states.push(...halfWrite(last, { root, written: calls[last.at], counts }))
    const isRealKillDue = counts.states >= STATES_PER_REAL_KILL * (counts.real + 1) || copied > MAX_COPIED_BYTES
    if (isRealKillDue && at > from) {
      counts.real++
      child.kill('SIGKILL')
      return { states, killedAt: at }
    }
    counts.states++
    const print = `${fingerprint(root)} ${said}`
    if (print !== last?.print) {
      const place = `${root}-at-${at}`
      copied += copyFolder(root, place)
      const copy = updateJournalInodes(root, place) ? place : undefined
      last = { print, copy, stdout: said }
      states.push({ fault: { mode: 'kill', at }, copy, stdout: said })
    }
    last.at = at
    child.kill('SIGCONT')
  }
  return { states, killedAt: undefined }
}

/** Output goes to files, so that everything acknowledged before a stop can be read during it. */
function start(args, { root, from, stdout, stderr, log }) {
  const settings = { ROOT: root, MODE: 'stop', AT: String(from), STICKY: '1', LOG: log }
  const faults = Object.entries(settings).map(([key, value]) => [`FAULT_${key}`, value])
  const env = { ...cleanEnvironment(), ...Object.fromEntries(faults), LD_PRELOAD: buildShim().path }
  const outputs = [stdout, stderr].map((path) => openSync(path, 'w'))
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', ...outputs] })
  for (const fd of outputs) closeSync(fd)
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (status, signal) => resolve({ status, signal }))
  })
  return { child, ended }
}

/** The state with only half of a write applied. */
function halfWrite({ at, copy, stdout }, { root, written, counts }) {
  if (!/^p?writev?$/.test(written.name)) return []
  counts.states++
  const fault = { mode: 'kill-half', at }
  const path = written.path.slice(root.length + 1)
  const [old, now] = [copy ?? root, root].map((folder) => readIfThere(join(folder, path)))
  if (copy === undefined || !old || !now || !isAddition(old, now)) return [{ fault }]
  const half = `${copy}-half-${at}`
  copyFolder(copy, half)
  const added = now.subarray(old.length, old.length + (now.length - old.length) / 2)
  const isUpdated = updateJournalInodes(copy, half)
  writeFileSync(join(half, path), added, { flag: 'a' })
  return [{ fault, copy: isUpdated && updateJournalInodes(root, half) ? half : undefined, stdout }]
}

/** Ignores the first line: a journal names its inode there, which differs in a copy. */
function isAddition(old, now) {
  const second = old.indexOf(10) + 1
  return now.length > old.length && now.subarray(second, old.length).equals(old.subarray(second))
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path) : undefined
}

/** Keeps hard links, folder modes and file times. Returns the bytes copied. */
function copyFolder(from, to, links = new Map()) {
  const { mode } = lstatSync(from)
  mkdirSync(to, { mode: mode & 0o777 })
  let bytes = 0
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    const stats = lstatSync(source)
    if (stats.isDirectory()) bytes += copyFolder(source, target, links)
    else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (links.has(stats.ino)) linkSync(links.get(stats.ino), target)
    else {
      copyFileSync(source, target)
      utimesSync(target, stats.atimeMs / 1000, stats.mtimeMs / 1000)
      links.set(stats.ino, target)
      bytes += stats.size
    }
  }
  return bytes
}

/**
 * A journal that names another inode than its own is ignored. So write the copy's inode into its header, in place and with a
 * valid checksum. Returns `false` if the number does not fit.
 */
function updateJournalInodes(original, copy) {
  const journal = join(copy, '.state/journal')
  for (const name of existsSync(journal) ? readdirSync(journal) : []) {
    const path = join(journal, name)
    const bytes = readFileSync(path)
    const end = bytes.indexOf(10)
    if (end === -1) continue // its header is not written yet, or only in part
    const header = JSON.parse(bytes.toString('utf8', 17, end))
    const { ino } = lstatSync(join(original, '.state/journal', name), { throwIfNoEntry: false }) ?? {}
    if (header.inode !== ino) continue // already rewritten for an earlier copy
    const json = JSON.stringify({ ...header, inode: lstatSync(path).ino })
    const padded = json.padEnd(end - 17)
    if (padded.length + 17 !== end) return false
    const { mtimeMs } = lstatSync(path)
    const fd = openSync(path, 'r+')
    writeSync(fd, `${digest16(padded)} ${padded}`, 0)
    closeSync(fd)
    utimesSync(path, mtimeMs / 1000, mtimeMs / 1000)
  }
  return true
}
