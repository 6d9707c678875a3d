// Many processes on one workspace, a folder or one file: some write to the end, some are killed. Used by many-writers.ci.test.ts
// and torture.mjs.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeJournal } from '../../dist/codec/journal-record.js'
import { seededRandom } from '../../dist/testing/random.js'
import { Accounts } from './accounts.mjs'
import { bundled } from './bundled.mjs'
import { checkWorkspace } from './invariants.mjs'
import { cleanEnvironment, runFaulty } from './tools.mjs'
import { entriesOf, folderOf, isOneFile, openAs, rootIn, scratchFolder } from './workspace.mjs'
import { isWhole } from './writer.mjs'

const worker = bundled('worker')
const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Starts a writer that waits for `go`; `ended` gives what it printed. */
export function startWriter(root, name, count) {
  const child = spawn(process.execPath, [worker, root, 'writer', name, String(count), 'wait'], {
    env: cleanEnvironment(),
    stdio: 'pipe',
  })
  const output = { stdout: '', stderr: '' }
  const ready = new Promise((resolve) => {
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text
        if (output.stdout.startsWith('ready')) resolve()
      })
    }
    child.on('close', resolve)
  })
  const ended = new Promise((resolve) => {
    child.on('close', (status, signal) => resolve({ ...output, status, signal }))
  })
  child.stdin.on('error', () => {}) // it was killed before it read
  return { child, ready, ended, go: () => child.stdin.end(), lines: () => output.stdout.split('\n').length - 1 }
}

/** Several writers that begin at once; some are killed after so many lines. */
export async function together({ writers, count, kills, seed, store, onDisk = false }) {
  const random = seededRandom(seed)
  const folder = scratchFolder('writers', { onDisk })
  const root = rootIn(join(folder, 'workspace'), store)
  const started = Array.from({ length: writers }, (_, n) => startWriter(root, `w${n}`, count))
  await Promise.all(started.map(({ ready }) => ready))
  for (const { go } of started) go()
  const accounts = new Accounts()
  for (const writer of started.slice(0, kills)) killAfter(writer, 10 + random.int(count))
  for (const [n, { ended }] of started.entries()) {
    const { status, signal, stdout, stderr } = await ended
    accounts.take(stdout)
    if (n >= kills && status !== 0) throw new Error(`writer ${n} ended with ${status ?? signal}: ${stderr}`)
  }
  await checkWorkspace(root, { look: (found) => accounts.check(found) })
  const epochs = isOneFile(root) ? new Set() : epochsOf(root)
  if (kills === 0 && epochs.size > 1) throw new Error(`the journal was begun ${epochs.size} times`)
  rmSync(folder, { recursive: true })
  return accounts.acknowledged
}

function epochsOf(root) {
  const folder = join(root, '.state/journal')
  const headers = readdirSync(folder).map((name) => decodeJournal(readFileSync(join(folder, name))).lines[0]?.header)
  return new Set(headers.map((header) => header?.epoch))
}

/** Reads while others write: every entry is whole at every moment, and none that was there is missing. */
export async function readMeanwhile({ writers, count, store: name }) {
  const folder = scratchFolder('readers')
  const root = rootIn(join(folder, 'workspace'), name)
  let running = writers
  const rows = Array.from({ length: writers }, async (_, n) => {
    const { status, stderr } = await runNode([worker, root, 'checked', `w${n}`, String(count)])
    running--
    if (status !== 0) throw new Error(`writer ${n}: ${stderr}`)
  })
  const { store } = await openAs(3, root)
  const seen = new Set()
  let reads = 0
  for (; running > 0; reads++) {
    const entries = await entriesOf(store)
    const torn = entries.find(({ content }) => !isWhole(content))
    if (torn) throw new Error(`read ${reads}: ${torn.path} holds "${torn.content.slice(0, 40)}…"`)
    const here = new Set(entries.map(({ id }) => id))
    for (const id of seen) if (!here.has(id)) throw new Error(`read ${reads}: ${id} is missing`)
    for (const id of here) seen.add(id)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(rows)
  await store.close()
  rmSync(folder, { recursive: true })
  return reads
}

function killAfter({ child, lines }, wanted) {
  const timer = setInterval(() => {
    if (lines() < wanted && child.exitCode === null) return
    clearInterval(timer)
    child.kill('SIGKILL')
  }, 1)
}

/** Writers that are killed at a random call, again and again, each time at once followed by the next. */
export async function randomKills({ kills, lanes, seed, checkEvery, store: kind, progress = () => {} }) {
  const random = seededRandom(seed)
  const folder = scratchFolder('kills')
  const root = rootIn(join(folder, 'workspace'), kind)
  const accounts = new Accounts()
  let [killed, started, checked] = [0, 0, 0]

  const lane = async (until) => {
    while (killed < until) {
      const name = `w${++started}`
      const mode = random.pick(['kill', 'kill', 'kill-half', 'kill-after'])
      const args = [worker, root, 'writer', name, '40']
      const ended = await runFaulty({ args, root: folderOf(root), at: random.int(250), mode })
      accounts.take(ended.stdout)
      if (ended.signal === 'SIGKILL') killed++
      else if (ended.status !== 0)
        throw new Error(`${name} was not killed but ended with ${ended.status}: ${ended.stderr}`)
    }
  }
  while (killed < kills) {
    const until = Math.min(kills, killed + checkEvery)
    await Promise.all(Array.from({ length: lanes }, () => lane(until)))
    await checkWorkspace(root, { look: (found) => accounts.check(found), n: 3 + checked++ })
    progress(killed)
  }
  rmSync(folder, { recursive: true })
  return { killed, acknowledged: accounts.acknowledged }
}

/** The command line, several at once, each a row of processes of its own. */
export async function commandLines({ processes, count, store }) {
  const folder = scratchFolder('cli')
  const root = rootIn(join(folder, 'workspace'), store)
  const row = async (n) => {
    const ids = []
    for (let i = 1; i <= count; i++) {
      const kind = i % 2 === 0 ? ['--name', `note ${n} ${i}`] : []
      const { status, stdout, stderr } = await runNode([
        cli,
        'remember',
        `text ${n} ${i}`,
        ...kind,
        '--workspace',
        root,
        '--json',
      ])
      if (status !== 0) throw new Error(`remember ended with ${status}: ${stdout}${stderr}`)
      const { entry } = JSON.parse(stdout)
      ids.push([entry.id, entry.revision, `text ${n} ${i}`])
    }
    return ids
  }
  const promised = (await Promise.all(Array.from({ length: processes }, (_, n) => row(n)))).flat()
  const look = async (store) => {
    const entries = await entriesOf(store)
    if (entries.length !== promised.length) throw new Error(`${entries.length} entries, not ${promised.length}`)
    const found = new Map(entries.map((entry) => [entry.id, entry]))
    for (const [id, revision, content] of promised) {
      const entry = found.get(id)
      if (entry?.revision !== revision || entry.content !== content)
        throw new Error(`"${content}" is ${entry?.content}`)
    }
  }
  await checkWorkspace(root, { look })
  rmSync(folder, { recursive: true })
  return promised.length
}

function runNode(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env: { ...cleanEnvironment(), TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, ...output }))
  })
}

/** Never two owners: a process that is stopped for a moment anywhere in taking the lock must not have it with another. */
export async function lockStress({ processes, count }) {
  const folder = scratchFolder('lock')
  const row = async (n) => {
    const { status, stderr } = await runNode([worker, folder, 'lock', `w${n}`, String(count)])
    if (status !== 0) throw new Error(`process ${n}: ${stderr}`)
  }
  await Promise.all(Array.from({ length: processes }, (_, n) => row(n)))
  const left = readdirSync(join(folder, 'lock'))
  if (left.length !== 1) throw new Error(`the lock was left with ${left}`)
  rmSync(folder, { recursive: true })
}

/** Several processes that all find no workspace yet. */
export async function firstUse({ processes, rounds, store }) {
  for (let round = 0; round < rounds; round++) {
    await together({ writers: processes, count: 3, kills: 0, seed: round, store })
  }
}
