// Every way to change a memory in one file, each as a state that is prepared unharmed and the steps that meet the fault: the
// writes that any store takes, and what only this one does: purge, derived bytes, adoption, a backup, and what a crash has left.
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backUp } from '../../dist/move/backup.js'
import { fileStore } from '../../dist/stores/file/store.js'
import { everything, overwrite, remember, writeScenarios } from './scenarios.mjs'
import { folderOf, openAs } from './workspace.mjs'

const BYTES = Buffer.alloc(600_000, 'derived ')

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

async function makeSource({ root }) {
  if (existsSync(sourceOf(root))) return
  const source = await openAs(1, sourceOf(root))
  await everything(source)
  await source.store.close()
}

/** Once it is there, nothing more is adopted. */
async function adopt({ root, store }) {
  const source = fileStore({ path: sourceOf(root) })
  const image = await source.image()
  try {
    return await store.adopt(image)
  } catch (error) {
    if (error.code !== 'CONFLICT') throw error
  } finally {
    await image.close()
    await source.close()
  }
}

/** Writes the backup to the folder with the faults; a backup at its path is complete. */
async function backup({ root, store }) {
  const to = join(dirname(root), 'backup.keepsake')
  await backUp(store, { to, force: true })
}

/** Leaves the file as a killed process does, with changes in the `-wal`. */
async function leaveWal(opened) {
  const { root, store } = opened
  await everything(opened)
  for (const ending of ['', '-wal']) copyFileSync(root + ending, `${folderOf(root)}-left${ending}`)
  await store.close()
  for (const ending of ['', '-wal']) renameSync(`${folderOf(root)}-left${ending}`, root + ending)
}

const ownScenarios = [
  { name: 'derived bytes, and then an entry', prepare: everything, mayBeDone: true, steps: [derive, remember] },
  { name: 'a purge', prepare: everything, mayBeDone: true, steps: [purge('Deploys')] },
  { name: 'a move', prepare: makeSource, mayBeDone: true, steps: [adopt] },
  { name: 'a backup', prepare: everything, mayBeDone: true, steps: [backup] },
  { name: 'a write after a crash', prepare: leaveWal, mayBeDone: true, steps: [remember, overwrite] },
  { name: 'a lease', prepare: everything, steps: [async ({ store }) => (await store.lease('work'))?.release()] },
]

export const fileScenarios = [...writeScenarios, ...ownScenarios]
