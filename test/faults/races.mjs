// Plays a person's save at one call of a write of ours, and checks that one of the two texts counts, that both are kept, and
// that undo brings the other back to the byte. Used by races.ci.test.ts and race-worker.mjs.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { checkWorkspace } from './invariants.mjs'
import { HAND_SAYS } from './race-scenarios.mjs'
import { entriesOf, openAs } from './workspace.mjs'

/** What swap.ts gives an editor to finish its save in, and a little more. */
const LATE_SAVE_MS = 1050

export async function prepareRace(scenario, root) {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const opened = await openAs(1, root)
  await scenario.prepare(opened)
  await opened.store.close()
  const before = textAt(root, scenario.file)
  return { before, hand: scenario.hand(before ?? '') }
}

/** What the file holds after our write when nobody interferes; `undefined` for no file. */
export async function oursOf(scenario, root) {
  await prepareRace(scenario, root)
  const opened = await openAs(2, root)
  await scenario.step(opened)
  await opened.store.close()
  const ours = textAt(root, scenario.file)
  rmSync(root, { recursive: true })
  return ours
}

/** `acknowledged`: our own change must be kept. `exact`: our text does not build on a state that the save went through. */
export async function checkRace(root, scenario, { before, hand, ours, acknowledged, exact }) {
  await lateSavesAreOver(root)
  const opened = await openAs(3, root, { lockWaitMs: 2000 })
  try {
    await checkKept(opened, scenario, acknowledged)
    await checkUndo(opened, scenario, { before, hand, ours, acknowledged, exact })
  } finally {
    await opened.store.close()
  }
  await checkWorkspace(root, { n: 4, mayDouble: scenario.mayDouble })
}

async function checkKept(opened, scenario, acknowledged) {
  const { store } = opened
  await mustBeSound(opened, scenario)
  await store.absorb()
  await mustBeSound(opened, scenario)
  const changes = await store.changes()
  const texts = changes.flatMap(({ touched }) => touched.flatMap(({ before, after }) => [before, after]))
  const all = [...texts, ...(await entriesOf(store))].map((entry) => entry?.content)
  must(all.includes(HAND_SAYS), "the hand's text is lost")
  must(!acknowledged || changes.some(scenario.isOurs), 'our change is lost')
}

async function mustBeSound({ store, root }, { file, mayDouble }) {
  const problems = await store.problems()
  const real = problems.filter(({ problem }) => problem !== mayDouble || textAt(root, file) === undefined)
  must(real.length === 0, `problems: ${JSON.stringify(problems)}`)
}

/** The last change is taken back and brought back again: both texts are there, now or then, as they were saved. */
async function checkUndo({ store, memory, root }, scenario, { before, hand, ours, acknowledged, exact }) {
  const { file, weSay, holdsBoth = false, mayBeAsBefore = !acknowledged, mayDouble } = scenario
  const here = treeOf(root)
  const now = here.get(file)
  const isOurText = (text) => (weSay === undefined ? text === undefined : text?.includes(weSay) === true)
  must(now === hand || isOurText(now) || (mayBeAsBefore && now === before), `torn: ${file} holds ${now}`)
  const last = (await store.changes({ limit: 1 }))[0].change.number
  const { change } = await memory.undo({ changes: [last] })
  const undone = treeOf(root)
  const texts = [...here.values(), ...undone.values()]
  const isHands = (text) => (holdsBoth ? text.includes(HAND_SAYS) : text === hand)
  must(texts.some(isHands), `undo did not bring back the hand's ${hand}`)
  if (acknowledged && !(mayBeAsBefore && now === before)) {
    const isThere = weSay === undefined ? !here.has(file) || !undone.has(file) : texts.some(isOurText)
    must(isThere, `undo did not bring back ours: ${ours}`)
    const other = undone.get(file)
    const comparable = exact && !holdsBoth && now === hand && other !== undefined
    must(!comparable || other === ours, `undo gave ${other}, not ours: ${ours}`)
  }
  // What is really double can be taken back, but not brought back; and a move between two files that both stand is none.
  if ((mayDouble && now !== undefined) || change === undefined) return
  await memory.undo({ changes: [change.number] })
  const again = treeOf(root)
  must(sameTree(here, again), `undone and redone, the files differ: ${JSON.stringify([[...here], [...again]])}`)
}

function sameTree(a, b) {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text)
}

export function textAt(root, file) {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return undefined
  }
}

function treeOf(root) {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('.state'))
    .sort()
  return new Map(files.map((file) => [file, textAt(root, file)]))
}

/** An editor that wrote into what we had moved aside is believed to be done after a while. */
async function lateSavesAreOver(root) {
  const folder = join(root, '.state/displaced')
  const files = readdirSync(folder).map((name) => ({ path: join(folder, name), expected: name.split('-')[1] }))
  const changed = files.filter(({ path, expected }) => hashOf(readFileSync(path)) !== expected)
  const ages = changed.map(({ path }) => Date.now() - statSync(path).ctimeMs)
  if (ages.length > 0) await new Promise((resolve) => setTimeout(resolve, LATE_SAVE_MS - Math.min(...ages)))
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

function must(condition, what) {
  if (!condition) throw new Error(what)
}
