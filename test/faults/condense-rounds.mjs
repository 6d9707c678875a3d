// Many sessions that several processes condense at once, some of them killed at it; and a program that is killed while its model thinks.
// Used by condensing-at-once.ci.test.ts and torture.mjs.
import { spawn } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openMemory } from '../../dist/index.js'
import { seededRandom } from '../../dist/testing/random.js'
import { startScriptedModel } from '../../examples/scripted-model.mjs'
import { bundled } from './bundled.mjs'
import { checkCondensed } from './condense-account.mjs'
import { FACTS, goodModel, memoryWith } from './condense-model.mjs'
import { checkWorkspace, fingerprint } from './invariants.mjs'
import { exchange, KEY, must, same, WINDOW } from './session-account.mjs'
import { cleanEnvironment, runFaulty } from './tools.mjs'
import { openAs, scratchFolder } from './workspace.mjs'

/** The first of its sessions is condensed in about so many. */
const CALLS_OF_A_CONDENSING = 60

const worker = bundled('session-worker')
const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/**
 * All condense all of the sessions; each is tried to be killed so often before it may end. Of those that are killed the model fails
 * for some sessions. In the end each is condensed once, and MEMORY.md has what was learnt from each, once.
 */
export async function condenseTogether({ processes, sessions, kills, seed }) {
  const random = seededRandom(seed)
  const folder = scratchFolder('condense')
  const root = join(folder, 'workspace')
  const keys = Array.from({ length: sessions }, (_, n) => `race ${n}`)
  const spoken = (n) => [...exchange(`${n}-1`), ...exchange(`${n}-2`)]
  await talked(root, new Map(keys.map((key, n) => [key, spoken(n)])))
  let killed = 0
  const lane = async () => {
    for (let left = kills; left >= 0; left--) {
      const at = left === 0 ? undefined : random.int(CALLS_OF_A_CONDENSING)
      const args = [worker, root, 'condense', String(sessions), left === 0 ? 'good' : 'failing']
      const ended = await runFaulty({ args, root, at, mode: random.pick(['kill', 'kill-half', 'kill-after']) })
      must(ended.signal === 'SIGKILL' || ended.status === 0, `ended with ${ended.status}: ${ended.stderr}`)
      if (ended.signal === 'SIGKILL') killed++
    }
  }
  await Promise.all(Array.from({ length: processes }, lane))
  const after = await openAs(3, root, {}, WINDOW)
  for (const [n, key] of keys.entries()) await checkCondensed(after.memory, key, spoken(n))
  const linesOf = (text) => text.split('\n').sort()
  const lines = linesOf((await after.memory.get('MEMORY')).content)
  const expected = linesOf(memoryWith(...keys.map((_, n) => [`${n}-1`, `${n}-2`])))
  must(same(lines, expected), `MEMORY.md has ${lines.join('\n')}`)
  await after.store.close()
  await checkWorkspace(root, { n: 5 })
  rmSync(folder, { recursive: true })
  return killed
}

/** `keepsake consolidate`, killed while it waits for an answer: nothing is written, and the next one needs not wait for the dead. */
export async function killWhileThinking() {
  const folder = scratchFolder('thinking')
  const root = join(folder, 'workspace')
  const turns = [...exchange(1), ...exchange(2)]
  await talked(root, new Map([[KEY, turns]]))
  const before = writtenIn(root)
  const server = await startScriptedModel({ reply: thinkingForever })
  try {
    const first = condensing(root, server.url)
    while (server.requests.length === 0 && first.child.exitCode === null) await wait(5)
    first.child.kill('SIGKILL')
    const { signal, stderr } = await first.ended
    must(signal === 'SIGKILL', `it ended before it was killed: ${stderr}`)
    must(same(readdirSync(join(root, '.state/leases/condense-main')), ['1']), 'the dead has not left its lease')
    must(writtenIn(root) === before, 'something was written before the model has answered')
    const { status, stdout } = await condensing(root, server.url).ended
    must(status === 0, `ended with ${status}: ${stdout}`)
    const { outcome, memory: became } = JSON.parse(stdout)
    must(outcome === 'condensed' && became === 'updated', stdout)
    must(server.requests.length === 2, `the model was asked ${server.requests.length} times`)
  } finally {
    await server.close()
  }
  const after = await openAs(3, root, {}, WINDOW)
  await checkCondensed(after.memory, KEY, turns)
  must((await after.memory.get('MEMORY')).content === memoryWith([1, 2]), 'MEMORY.md is not what the model said')
  await after.store.close()
  await checkWorkspace(root, { n: 5 })
  rmSync(folder, { recursive: true })
}

/** Just now: what is older than a month when it is condensed does not slide out into the conversation. */
async function talked(root, sessions) {
  const memory = await openMemory({ workspace: root, timezone: 'UTC', ...WINDOW })
  await memory.reflect(FACTS.join('\n'))
  for (const [key, turns] of sessions) await memory.session(key).append(turns)
  await memory.close()
}

/** Whoever asks first gets no answer; the others a good one. */
async function thinkingForever({ number, messages }) {
  if (number === 1) return { delayMs: 3_600_000 }
  return { text: (await goodModel(messages.at(-1).content)).content }
}

/** All but the lease. */
function writtenIn(root) {
  return ['agents', '.state/journal'].map((folder) => fingerprint(join(root, folder))).join(' ')
}

function condensing(root, url) {
  const env = { ...cleanEnvironment(), OPENAI_BASE_URL: url, OPENAI_MODEL: 'any' }
  const args = [cli, 'consolidate', KEY, '--workspace', root, '--json']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) => resolve({ ...output, status, signal }))
  })
  return { child, ended }
}
