// What must hold for a memory in one file whatever happened to it; checkWorkspace has opened it and written to it. The doctor finds
// nothing, a closed copy reads the same, and its last change can be undone and redone. After it is closed, nothing is beside it.
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { examineFile } from '../../dist/stores/doctor/file.js'
import { stateDifference } from '../../dist/testing/index.js'
import { entriesOf, folderOf, openAs, rootIn, sessionsOf } from './workspace.mjs'

export async function checkFile(root, clone, { entries, sessions, changes }) {
  const mode = (lstatSync(root).mode & 0o777).toString(8)
  must(mode === '600', `${root} has mode ${mode}`)
  rmSync(clone, { recursive: true, force: true })
  mkdirSync(clone)
  const copy = rootIn(clone, 'file')
  copyFileSync(root, copy)
  if (existsSync(`${root}-wal`)) copyFileSync(`${root}-wal`, `${copy}-wal`)
  const { store, memory } = await openAs(9, copy)
  try {
    await mustBeSame(store, { entries, sessions }, 'a copy of the file')
    await checkUndo({ store, memory }, changes)
  } finally {
    await store.close()
  }
  await mustBeSound(copy)
  rmSync(clone, { recursive: true })
}

async function mustBeSound(path) {
  const { findings } = await examineFile(path)
  must(findings.length === 0, `the doctor finds ${JSON.stringify(findings)}`)
}

/** Call it after the last process closed the file. A backup beside it must be complete. */
export async function checkNothingBeside(root) {
  await mustBeSound(root)
  const backup = join(dirname(root), 'backup.keepsake')
  if (existsSync(backup)) {
    await mustBeSound(backup)
    rmSync(backup)
  }
  // The next backup removes what an interrupted one left.
  const names = readdirSync(folderOf(root)).filter((name) => !name.startsWith('.keepsake.backup-'))
  must(names.length === 1 && names[0] === basename(root), `left in the folder: ${names}`)
}

async function mustBeSame(store, { entries, sessions }, what) {
  const difference = stateDifference(await entriesOf(store), entries)
  must(difference === undefined, `${what} differs: ${difference}`)
  const [theirs, ours] = [JSON.stringify(await sessionsOf(store)), JSON.stringify(sessions)]
  must(theirs === ours, `the sessions of ${what} differ: ${theirs}, not ${ours}`)
}

/** The last change before the two that checkWorkspace has made. */
async function checkUndo({ store, memory }, changes) {
  const last = changes.slice(0, -2).findLast(({ operations }) => operations.length > 0)
  if (!last) return
  const before = await saysOf(store)
  const { change } = await memory.undo({ changes: [last.number] })
  must(change && (await saysOf(store)) !== before, `change ${last.number} can't be undone`)
  await memory.undo({ changes: [change.number] })
  const after = await saysOf(store)
  must(after === before, `undone and brought back, the memory is ${after}, not ${before}`)
}

async function saysOf(store) {
  const entries = await entriesOf(store)
  const says = entries.map(({ id, kind, name, aliases, key, content, metadata }) => [
    ...[id, kind, name, [...aliases].sort(), key],
    ...[content, metadata],
  ])
  return JSON.stringify(says.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function must(condition, what) {
  if (!condition) throw new Error(what)
}
