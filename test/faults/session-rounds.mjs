// Many processes at one session, some of them killed. Used by sessions-at-once.ci.test.ts and torture.mjs.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../dist/testing/random.js'
import { bundled } from './bundled.mjs'
import { checkWorkspace } from './invariants.mjs'
import { conversationOf, exchange, KEY, LATER, must, sessionIn, WINDOW } from './session-account.mjs'
import { cleanEnvironment, runFaulty } from './tools.mjs'
import { openAs, scratchFolder } from './workspace.mjs'

/** At least, where it adds something. */
const CALLS_OF_AN_IMPORT = 12

const worker = bundled('session-worker')

/** Compactions of the same sessions, all of them thinking at once. Who made each. */
export async function compactTogether({ processes, rounds }) {
  const folder = scratchFolder('compact')
  const root = join(folder, 'workspace')
  const { store, memory } = await openAs(1, root, {}, WINDOW)
  const turns = [exchange(1), exchange(2), exchange(3)]
  for (let n = 0; n < rounds; n++) for (const said of turns) await memory.session(`race ${n}`).append(said)
  await store.close()
  const ran = await Promise.all(
    Array.from({ length: processes }, (_, who) =>
      run(['compact', String(who), String(rounds), String(processes)], root),
    ),
  )
  const told = ran.map((ended) => eventsOf(ended.stdout))
  const after = await openAs(3, root, {}, WINDOW)
  for (let n = 0; n < rounds; n++) {
    const results = told.map((events) => events.find(({ facts }) => facts.n === n).facts)
    const makers = results.filter(({ compacted }) => compacted).length
    must(makers === 1, `session ${n} was compacted by ${makers}: ${JSON.stringify(results)}`)
    must(
      results.every(({ compacted, why }) => compacted || why === 'already compacted'),
      JSON.stringify(results),
    )
    const { archives, inForce } = await sessionIn(after.memory, `race ${n}`)
    must(
      archives.length === 1 && inForce.length === 1,
      `${archives.length} archives, ${inForce.length} markers in force`,
    )
  }
  await after.store.close()
  await checkWorkspace(root, { n: 5 })
  rmSync(folder, { recursive: true })
}

/**
 * Some speak and compact at once; most are killed at some call, and others come in their place. Of each process all that was
 * acknowledged is there, in its order, and of the rest all or nothing.
 */
export async function talkTogether({ lanes, count, kills, seed }) {
  const random = seededRandom(seed)
  const folder = scratchFolder('talk')
  const root = join(folder, 'workspace')
  const told = []
  const said = { killed: 0, exchanges: 0, compactions: 0 }
  let started = 0
  const lane = async () => {
    for (let isLast = false; !isLast; ) {
      isLast = said.killed >= kills
      const at = isLast ? undefined : 5 + random.int(25 * count)
      const args = [worker, root, 'talk', `w${++started}`, String(count)]
      const ended = await runFaulty({ args, root, at, mode: random.pick(['kill', 'kill-half', 'kill-after']) })
      must(ended.signal === 'SIGKILL' || ended.status === 0, `ended with ${ended.status}: ${ended.stderr}`)
      if (ended.signal === 'SIGKILL') said.killed++
      told.push(eventsOf(ended.stdout))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  await checkEnd(root, ({ turns, archives, inForce }) => {
    const place = new Map(turns.map(({ id, content }, index) => [`${id} ${content}`, index]))
    for (const events of told) said.exchanges += checkTold(events, place)
    must(place.size === 0, `turns of nobody: ${[...place.keys()]}`)
    must(archives.length === inForce.length, `${archives.length} archives, ${inForce.length} markers in force`)
    said.compactions = archives.length
  })
  rmSync(folder, { recursive: true })
  return said
}

/** Takes what a process said out of what is there. How many exchanges were acknowledged. */
function checkTold(events, place) {
  const promised = new Set(events.flatMap(({ event, facts }) => (event === 'ack' ? facts[0].id : [])))
  let last = -1
  for (const { facts } of events.filter(({ event }) => event === 'try')) {
    const keys = facts.map(({ id, content }) => `${id} ${content}`)
    const [question, answer] = keys.map((key) => place.get(key))
    for (const key of keys) place.delete(key)
    const isThere = question !== undefined
    must(isThere || !promised.has(facts[0].id), `${facts[0].id} is lost`)
    must(isThere ? answer === question + 1 : answer === undefined, `${facts[0].id} is there in half`)
    must(!isThere || question > last, `${facts[0].id} is out of order`)
    last = isThere ? question : last
  }
  return promised.size
}

/** One transcript that grows, imported by several at once; each is tried to be killed so often before it may end. */
export async function importTogether({ processes, count, step, kills, seed }) {
  const random = seededRandom(seed)
  const folder = scratchFolder('import')
  const root = join(folder, 'workspace')
  let killed = 0
  const lane = async () => {
    // Whoever finds nothing to add makes no call at which it could be killed. The very first does.
    for (let left = kills; left >= 0; left--) {
      const at = left === 0 ? undefined : random.int(CALLS_OF_AN_IMPORT)
      const args = [worker, root, 'import', String(count), String(step)]
      const ended = await runFaulty({ args, root, at, mode: random.pick(['kill', 'kill-half', 'kill-after']) })
      must(ended.signal === 'SIGKILL' || ended.status === 0, `ended with ${ended.status}: ${ended.stderr}`)
      if (ended.signal === 'SIGKILL') killed++
    }
  }
  await Promise.all(Array.from({ length: processes }, lane))
  await checkEnd(root, ({ turns }) => {
    const expected = Array.from({ length: count }, (_, n) => exchange(n + 1)).flat()
    const told = ({ id, content }) => `${id} ${content}`
    const there = turns.map(told)
    must(JSON.stringify(there) === JSON.stringify(expected.map(told)), `there are ${there}`)
  })
  rmSync(folder, { recursive: true })
  return killed
}

/** More is said, and then all that is out of the window is in `conversation`, once. */
async function checkEnd(root, look) {
  const next = await openAs(3, root, {}, WINDOW)
  await next.memory.session(KEY).append(LATER)
  await next.store.close()
  const { store, memory } = await openAs(4, root, {}, WINDOW)
  const found = await sessionIn(memory)
  look({ ...found, turns: withoutLater(found.turns) })
  const inWindow = found.live.slice(-2 * WINDOW.contextWindowSize)
  const out = found.turns.map(({ id }) => id).filter((id) => !inWindow.includes(id))
  const slid = new Set(found.conversation.map(({ id }) => id))
  const missing = out.filter((id) => !slid.has(conversationOf(id)))
  must(missing.length === 0, `not in the conversation: ${missing}`)
  await store.close()
  await checkWorkspace(root, { n: 5 })
}

function withoutLater(turns) {
  return turns.filter(({ id }) => !LATER.some((later) => later.id === id))
}

async function run([mode, ...args], root) {
  const child = spawn(process.execPath, [worker, root, mode, ...args], { env: cleanEnvironment(), stdio: 'pipe' })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
  const status = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
  must(status === 0, `ended with ${status}: ${output.stderr}`)
  return output
}

/** A last line without its end was torn by the kill, and was no promise. */
function eventsOf(stdout) {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const event = line.slice(0, line.indexOf(' '))
      return { event, facts: JSON.parse(line.slice(event.length + 1)) }
    })
}
