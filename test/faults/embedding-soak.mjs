// Embedding a large memory with the real model, behind a program that recalls by words, and killed again and again:
//   node test/faults/embedding-soak.mjs [--entries 50000] [--kills 5] [--letters] [--times 2]
// Recall by words must stay within twice its idle latency (the medians of many; a single one may meet anything), a killed process
// must lose no entry and no more than seconds of its work. Prints what it measured as JSON lines; exit 1 where something did not hold.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openMiniLm } from '../../dist/embed/minilm/open-minilm.js'
import { openMemory } from '../../dist/index.js'
import { Letters } from './letters.mjs'
import { cleanEnvironment } from './tools.mjs'
import { scratchFolder } from './workspace.mjs'

const IDLE_SEARCHES = 60
const PAUSE_MS = 20
/** A model that is no model takes some time too. */
const BATCH_MS = 400
/** What was done so long before a kill is kept: it is saved every four seconds (embed-scope.ts), and a call to the model takes one. */
const LOST_MS = 7000

const SUBJECTS = [
  'the gardener',
  'a heron',
  'our deploy',
  'the printer',
  'her brother',
  'the invoice',
  'a train',
  'the recipe',
]
const VERBS = ['waits for', 'forgets', 'prefers', 'breaks', 'writes about', 'was moved to', 'asks for', 'pays']
const OBJECTS = [
  'the north gate',
  'green tea',
  'version two',
  'a window seat',
  'Tuesday',
  'the old ledger',
  'rain',
  'a quiet room',
]

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '50000' },
    kills: { type: 'string', default: '5' },
    letters: { type: 'boolean', default: false },
    times: { type: 'string', default: '2' },
    child: { type: 'string' },
  },
})

if (values.child === undefined) await soak(Number(values.entries), Number(values.kills))
else await embedInChild(values.child)

async function soak(entries, kills) {
  const folder = scratchFolder('soak')
  try {
    await fill(folder, entries)
    for (let kill = 1, before = entries; kill <= kills; kill++) before = await killed(folder, entries, kill, before)
    await measured(folder, entries)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function textOf(n) {
  const pick = (list, by) => list[Math.floor(n / by) % list.length]
  const sentence = `${pick(SUBJECTS, 1)} ${pick(VERBS, 8)} ${pick(OBJECTS, 64)}`
  return `${sentence}, which was said in conversation ${n} by somebody who knows number ${n % 97}.`
}

async function fill(folder, entries) {
  const memory = await openMemory({ workspace: folder, timezone: 'UTC', embed: 'none' })
  for (let from = 0; from < entries; from += 1000) {
    const numbers = Array.from({ length: Math.min(1000, entries - from) }, (_, n) => from + n)
    await memory.apply(numbers.map((n) => ({ op: 'add', scope: 'main', kind: 'experience', content: textOf(n) })))
  }
  await memory.search('heron', { mode: 'lexical' })
  await memory.close()
}

async function model() {
  if (!values.letters) return openMiniLm()
  const letters = new Letters()
  letters.before = () => setTimeout(BATCH_MS)
  return letters
}

async function embedInChild(folder) {
  const embed = await model()
  const memory = await openMemory({ workspace: folder, timezone: 'UTC', embed })
  await memory.embed({ onProgress: (done) => console.log(done) })
  await memory.close()
  await embed.close()
}

/** Gives how many are pending afterwards. */
async function killed(folder, entries, kill, before) {
  const args = [fileURLToPath(import.meta.url), '--child', folder, ...(values.letters ? ['--letters'] : [])]
  const child = spawn(process.execPath, args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  let done = 0
  const steps = []
  const goal = Math.min(700 * kill, before / 4)
  for await (const line of createInterface({ input: child.stdout })) {
    done = Number(line)
    steps.push({ done, at: performance.now() })
    if (done >= goal) child.kill('SIGKILL')
  }
  await exit
  const { memory } = await openNamed(folder)
  const there = (await memory.heads()).length
  const { pending } = await memory.embeddings()
  await memory.close()
  told('killed', { kill, done, pending, there })
  must(there === entries, `${entries - there} entries are lost`)
  const since = (steps.at(-1)?.at ?? 0) - LOST_MS
  const kept = steps.findLast(({ at }) => at <= since)?.done ?? 0
  must(pending <= before - kept, `${pending - before + kept} entries that had vectors for seconds have none`)
  return pending
}

/** With the model's name and no model. */
async function openNamed(folder) {
  const name = values.letters ? 'letters' : 'all-MiniLM-L6-v2'
  const embed = {
    model: name,
    loaded: undefined,
    load: () => Promise.reject(new Error('not here')),
    close: async () => {},
  }
  return { memory: await openMemory({ workspace: folder, timezone: 'UTC', embed }) }
}

async function measured(folder, entries) {
  const embed = await model()
  const memory = await openMemory({ workspace: folder, timezone: 'UTC', embed })
  await searches(memory, IDLE_SEARCHES / 4, () => true) // warm
  const before = await searches(memory, IDLE_SEARCHES, () => true)
  const started = performance.now()
  let isDone = false
  const embedding = memory.embed().finally(() => {
    isDone = true
  })
  const busy = await searches(memory, Number.POSITIVE_INFINITY, () => !isDone)
  const { embedded } = await embedding
  const seconds = (performance.now() - started) / 1000
  // The machine has other work too: whichever was slower is what it does when nothing is embedded.
  const after = await searches(memory, IDLE_SEARCHES, () => true)
  const idle = before.p50 > after.p50 ? before : after
  const state = await memory.embeddings()
  told('measured', {
    entries,
    embedded,
    perSecond: round(embedded / seconds),
    idle,
    busy,
    times: round(busy.p50 / idle.p50),
  })
  must(state.entries === entries && state.pending === 0, `only ${state.entries} of ${entries} have vectors`)
  must(
    busy.p50 <= Number(values.times) * idle.p50,
    `recall takes ${round(busy.p50 / idle.p50)} times as long while embedding runs`,
  )
  await memory.close()
  await embed.close()
}

async function searches(memory, most, goesOn) {
  const times = []
  for (let n = 0; n < most && goesOn(); n++) {
    const started = performance.now()
    await memory.search(`${SUBJECTS[n % 8]} ${OBJECTS[(n >> 3) % 8]} ${n}`, { mode: 'lexical' })
    times.push(performance.now() - started)
    await setTimeout(PAUSE_MS)
  }
  times.sort((a, b) => a - b)
  const at = (share) => round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0)
  return { searches: times.length, p50: at(0.5), p95: at(0.95), most: at(1) }
}

function round(number) {
  return Math.round(number * 100) / 100
}

function told(what, facts) {
  console.log(JSON.stringify({ what, ...facts }))
}

function must(holds, problem) {
  if (holds) return
  console.error(problem)
  process.exitCode = 1
}
