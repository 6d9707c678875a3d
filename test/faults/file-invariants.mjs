// What must hold for a memory in one file whatever happened to it; checkWorkspace has opened it and written to it. The file alone
// is the memory: a copy of it reads the same, every frame of it is proved, a fold leaves it as it is, and its last change can be
// undone and brought back. Beside it is a lock while it is in use, and nothing when it is not.
import { copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { examineFile } from '../../dist/stores/file/doctor/examine.js'
import { stateDifference } from '../../dist/testing/index.js'
import { entriesOf, folderOf, openAs, rootIn, sessionsOf } from './workspace.mjs'

export async function checkFile(root, clone, { entries, sessions, changes }) {
  checkModes(root)
  // A lease of somebody who was killed waits for whoever wants it, or for the last one to leave.
  const beside = readdirSync(`${root}.lock`).filter((name) => name !== 'leases')
  must(beside.length === 1 && /^[1-9]\d*\.done$/.test(beside[0]), `beside the file: ${beside}`)
  rmSync(clone, { recursive: true, force: true })
  mkdirSync(clone)
  const copy = rootIn(clone, 'file')
  copyFileSync(root, copy)
  // Derived bytes are not synced: a power cut may tear them, and that is known.
  const findings = examineFile(copy).findings.filter(({ code }) => code !== 'damaged-derived')
  must(findings.length === 0, `the doctor finds ${JSON.stringify(findings)}`)
  const { store, memory } = await openAs(9, copy)
  try {
    await mustBeSame(store, { entries, sessions }, 'a copy of the file')
    await store.fold()
    await mustBeSame(store, { entries, sessions }, 'a fold of the file')
    await checkUndo({ store, memory }, changes)
  } finally {
    await store.close()
  }
  rmSync(clone, { recursive: true })
}

/** After the last one has closed it. */
export function checkNothingBeside(root) {
  const names = readdirSync(folderOf(root))
  must(names.length === 1 && names[0] === basename(root), `left in the folder: ${names}`)
}

function checkModes(root) {
  for (const [path, expected] of [
    [root, '600'],
    [`${root}.lock`, '700'],
  ]) {
    const mode = (lstatSync(path).mode & 0o777).toString(8)
    must(mode === expected, `${path} has mode ${mode}`)
  }
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
