// What a power cut does to files that were not synced, without a disk to cut: after some writes each Markdown file is put back
// to any of its states since the last checkpoint, or to a torn one between two, each file by itself. The journal has it all.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { seededRandom } from '../../dist/testing/random.js'
import { checkWorkspace } from './invariants.mjs'
import { pretendNewBoot } from './pretend.mjs'
import { openAs, scratchFolder, stateOf } from './workspace.mjs'

export async function lostWrites({ seed, steps }) {
  const random = seededRandom(seed)
  const folder = scratchFolder('lost')
  const root = join(folder, 'workspace')
  const { store, memory } = await openAs(1, root)
  await store.init()
  const histories = new Map()
  for (let n = 0; n < steps; n++) {
    await anyWrite(memory, random, n)
    note(histories, root)
  }
  const expected = await stateOf(store)
  await store.close()
  for (const [path, states] of histories) put(join(root, path), lostState(states, random))
  pretendNewBoot(root)
  await checkWorkspace(root, {
    async look(reopened) {
      const state = await stateOf(reopened)
      if (state !== expected) throw new Error(`seed ${seed}: ${firstDifference(state, expected)}`)
    },
  })
  rmSync(folder, { recursive: true })
}

export async function anyWrite(memory, random, n) {
  const text = `text ${n} ${'and more '.repeat(random.int(4))}`.trim()
  const entries = await memory.list()
  const lines = entries.filter(({ kind }) => kind === 'experience' || kind === 'history')
  const cards = entries.filter(({ kind }) => kind === 'note')
  const name = random.pick(['one', 'two', 'three'])
  switch (random.int(9)) {
    case 0:
      return memory.remember(text, { name: cards.some((card) => card.aliases.includes(name)) ? `${name} ${n}` : name })
    case 1:
      return memory.learnFact(name, text)
    case 2:
      return memory.remember(text, { key: name })
    case 3:
      return memory.apply([{ op: 'add', scope: 'main', kind: 'history', content: text }])
    case 4:
      return cards.length > 0 ? memory.rename(random.pick(cards).id, `renamed ${n}`) : memory.reflect(text)
    case 5:
      return cards.length > 0 ? memory.forget(random.pick(cards).id) : memory.reflect(text)
    case 6:
      return lines.length > 0 ? memory.forget(random.pick(lines).id) : memory.remember(text)
    case 7:
      return lines.length > 0
        ? memory.apply([{ op: 'write', id: random.pick(lines).id, content: text }])
        : memory.remember(text)
    default:
      return memory.remember(text)
  }
}

/** Every state that each file has been in; `null` for no file, which all began with. */
function note(histories, root) {
  const found = new Map(markdownFiles(root).map((path) => [path, readFileSync(join(root, path))]))
  for (const path of new Set([...histories.keys(), ...found.keys()])) {
    const states = histories.get(path) ?? [null]
    histories.set(path, states)
    const [last, now] = [states.at(-1), found.get(path) ?? null]
    if (last === null ? now !== null : now === null || !last.equals(now)) states.push(now)
  }
}

function markdownFiles(root, folder = root) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return name === '.state' ? [] : markdownFiles(root, path)
    return name.endsWith('.md') ? [relative(root, path)] : []
  })
}

function lostState(states, random) {
  const at = random.int(states.length)
  const [state, next] = [states[at], states[at + 1]]
  if (!next || random.chance(2)) return state
  // An addition is torn behind what was there; a whole text, which came by a rename, from its beginning.
  const added = state !== null && next.subarray(0, state.length).equals(state)
  const from = added ? state.length : 0
  const cut = from + random.int(next.length - from)
  if (random.chance(2)) return next.subarray(0, cut)
  return Buffer.concat([next.subarray(0, cut), Buffer.alloc(next.length - cut)])
}

function put(path, bytes) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (bytes !== null) writeFileSync(path, bytes, { mode: 0o600 })
  else if (existsSync(path)) unlinkSync(path)
}

function firstDifference(actual, expected) {
  const [ours, theirs] = [actual.split('\n'), expected.split('\n')]
  const at = ours.findIndex((line, index) => line !== theirs[index])
  return `line ${at} is ${ours[at]}, not ${theirs[at]}, after ${ours.slice(Math.max(0, at - 6), at)}`
}
