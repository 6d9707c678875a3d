// Every way to change a memory in one file, each as a state that is prepared unharmed and the steps that meet the fault: the
// writes that any store takes, and what only this one does: fold, purge, adopt, derived bytes, and the mending of what a crash
// has left.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatOwner, thisProcess } from '../../dist/stores/disk/owner.js'
import { fileStore } from '../../dist/stores/file/store.js'
import { everything, overwrite, remember, writeScenarios } from './scenarios.mjs'
import { folderOf, openAs } from './workspace.mjs'

const BYTES = Buffer.alloc(5000, 'derived ')
/** A fold comes when half a megabyte was appended: this is a little less. */
const LONG = 'x'.repeat(500_000)

const fold = ({ store }) => store.fold()

/** Not to be kept is no failure. What was kept is there. */
async function derive({ store }) {
  if (!(await store.derived.write('vectors', BYTES))) return
  const found = await store.derived.read('vectors')
  if (!found || Buffer.compare(found, BYTES) !== 0) throw new Error('derived bytes are not what was written')
}

/** What was purged is not even known any more. */
const purge = (name) => (opened) =>
  opened.memory.purge(name).catch((error) => {
    if (error.code !== 'NOT_FOUND') throw error
  })

/** Outside of the folder that meets the faults. */
const sourceOf = (root) => `${folderOf(root)}-source.keepsake`

async function makeSource(root) {
  if (existsSync(sourceOf(root))) return
  const source = await openAs(1, sourceOf(root))
  await everything(source)
  await source.store.close()
}

/** Once it is there, nothing more is adopted. */
async function adopt({ root, store }) {
  const source = fileStore({ path: sourceOf(root) })
  try {
    return await store.adopt(await source.image())
  } catch (error) {
    if (error.code !== 'CONFLICT') throw error
  } finally {
    await source.close()
  }
}

/** As a move leaves it that was killed: half of the new file, under the name by which the next try knows it. */
async function cutShort({ root }) {
  await makeSource(root)
  const trial = `${folderOf(root)}-trial.keepsake`
  const source = fileStore({ path: sourceOf(root) })
  const image = await source.image()
  await adoptOnce(trial, image)
  const breaking = () => {
    throw new Error('the source broke off')
  }
  await adoptOnce(root, { ...image, sessions: breaking }).catch(() => {})
  await source.close()
  const [name] = readdirSync(`${root}.lock`).filter((one) => one.startsWith('moving-'))
  const bytes = readFileSync(trial)
  writeFileSync(join(`${root}.lock`, name), bytes.subarray(0, bytes.length / 2), { mode: 0o600 })
  rmSync(trial)
}

async function adoptOnce(path, image) {
  const store = fileStore({ path })
  try {
    await store.adopt(image)
  } finally {
    await store.close()
  }
}

/** Prepared as a crash leaves it: `left` makes that of the file before a write and after it. */
function crashed(left) {
  return async (opened) => {
    const { root } = opened
    await everything(opened)
    const before = readFileSync(root)
    await remember(opened)
    const after = readFileSync(root)
    await opened.store.close()
    writeFileSync(root, left(before, after))
    leaveLockAndFold(root)
  }
}

/** What a killed writer leaves beside the file: its lock, and a file that it was at. */
function leaveLockAndFold(root) {
  mkdirSync(`${root}.lock`, { mode: 0o700 })
  symlinkSync(`${formatOwner({ ...thisProcess(), start: '1' })}/1`, join(`${root}.lock`, '7'))
  writeFileSync(join(`${root}.lock`, 'fold-01234567'), 'half a fi', { mode: 0o600 })
}

/** The frame of the write, with the header from before it: nobody was told. */
const unacknowledged = (before, after) => Buffer.concat([before, after.subarray(before.length)])

const ownScenarios = [
  { name: 'derived bytes, and an entry behind them', prepare: everything, steps: [derive, remember] },
  { name: 'a fold', prepare: everything, steps: [fold] },
  { name: 'a fold, and writes behind it', prepare: everything, steps: [derive, fold, remember, overwrite] },
  {
    name: 'a write that brings a fold',
    async prepare(opened) {
      await everything(opened)
      await opened.memory.learnFact('Long', LONG)
    },
    steps: [({ memory }) => memory.learnFact('Longer', 'y'.repeat(30_000)), remember],
  },
  { name: 'a purge', prepare: everything, mayBeDone: true, steps: [purge('Deploys')] },
  { name: 'a move', prepare: ({ root }) => makeSource(root), mayBeDone: true, steps: [adopt] },
  { name: 'a move that is gone on with', prepare: cutShort, mayBeDone: true, steps: [adopt] },
  {
    name: 'a move into a file without entries',
    async prepare({ root, store }) {
      await makeSource(root)
      await store.init()
    },
    mayBeDone: true,
    steps: [adopt],
  },
  {
    name: 'a lease',
    prepare: everything,
    steps: [async ({ store }) => (await store.lease('work'))?.release()],
  },
  {
    name: 'recovery of a torn tail',
    // Longer than what comes in its place.
    prepare: crashed((before, after) => {
      return Buffer.concat([unacknowledged(before, after).subarray(0, after.length - 20), Buffer.alloc(5000, 'x')])
    }),
    steps: [remember],
  },
  { name: 'recovery of a change that nobody was promised', prepare: crashed(unacknowledged), steps: [overwrite] },
  {
    name: 'recovery of a torn slot',
    prepare: crashed((before, after) => {
      const at = before.findIndex((byte, index) => byte !== after[index])
      return Buffer.concat([after.subarray(0, at), Buffer.from([after[at] ^ 0xff]), after.subarray(at + 1)])
    }),
    steps: [overwrite],
  },
]

export const fileScenarios = [...writeScenarios, ...ownScenarios]
