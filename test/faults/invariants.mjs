// What must hold for a workspace whatever happened to it: opened anew, unharmed, it reads the same twice and writes nothing by
// being read; one more write works; after that there is no litter, every record decodes, modes are private, and the files
// alone, or the one file (file-invariants.mjs), are the same memory. Throws with what does not hold.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { decodeJournal } from '../../dist/codec/journal-record.js'
import { stateDifference } from '../../dist/testing/index.js'
import { checkFile, checkNothingBeside } from './file-invariants.mjs'
import { entriesOf, folderOf, isOneFile, openAs, sessionsOf } from './workspace.mjs'

const KNOWN_FILES = [
  /^keepsake\.yaml$/,
  /^world\/[^/]+\.md$/,
  /^agents\/[a-z0-9._-]+\/(MEMORY|IDENTITY|HISTORY|HISTORY-\d{4}-\d\d)\.md$/,
  /^agents\/[a-z0-9._-]+\/(entries|daily|conversation|context)\/[^/.][^/]*\.md$/,
  /^agents\/[a-z0-9._-]+\/sessions\/[A-Za-z0-9._%~-]+\.jsonl$/,
  /^\.state\/(\.gitignore|checkpoint)$/,
  /^\.state\/journal\/\d{8}-[0-9a-f]{8}\.jsonl$/,
  // What was replaced a moment ago, kept for an editor that may still be writing into it.
  /^\.state\/displaced\/[0-9a-f]{32}-[0-9a-f]{32}-[0-9a-f]{16}$/,
  /^\.state\/lock\/[1-9]\d*\.done$/,
  // Whoever was killed has left its lease, and the next one who wants it takes it over; there need not be one.
  /^\.state\/leases\/[a-z0-9._-]+\/[1-9]\d*(\.done)?$/,
]
const KNOWN_FOLDERS =
  /^(world|agents(\/[^/]+(\/(entries|daily|conversation|context|sessions))?)?|\.state(\/(journal|lock|tmp|swap|displaced|leases(\/[a-z0-9._-]+)?))?)$/

/**
 * `look` is given the store as it was found, before anything is written to it, and throws when that is not what it should be.
 * `n` says which process this is (see openAs), `mayDouble` which problem is there and should be.
 */
export async function checkWorkspace(
  root,
  { look = () => {}, n = 3, clone = `${folderOf(root)}-clone`, mayDouble } = {},
) {
  const before = fingerprint(folderOf(root))
  const { store, memory } = await openAs(n, root, { lockWaitMs: 2000 })
  try {
    await look(store)
    const found = await entriesOf(store)
    // Opening one file may checkpoint the `-wal` that a crash left.
    must(isOneFile(root) || fingerprint(folderOf(root)) === before, 'reading wrote something')
    const text = `one more, ${n}`
    await memory.remember(text)
    await memory.remember(text, { name: text })
    const entries = await entriesOf(store)
    const old = entries.filter(({ content }) => content !== text)
    must(entries.length === old.length + 2, 'the one more write is not there')
    same(old, found, 'one more write changed what was there')
    const problems = (await store.problems()).filter(({ problem }) => problem !== mayDouble)
    must(problems.length === 0, `problems: ${JSON.stringify(problems)}`)
    const feed = await store.feed()
    const first = feed.changes[0]?.number ?? 1
    must(
      feed.changes.every(({ number }, index) => number === first + index),
      `changes are not numbered in a row: ${feed.changes.map(({ number }) => number)}`,
    )
    const sessions = await sessionsOf(store)
    if (isOneFile(root)) await checkFile(root, clone, { entries, sessions, changes: feed.changes })
    else await checkFolder(root, clone, { entries, sessions, mayDouble })
  } finally {
    await store.close()
  }
  if (isOneFile(root)) await checkNothingBeside(root)
}

async function checkFolder(root, clone, { entries, sessions, mayDouble }) {
  checkTree(root, entries)
  checkJournal(root)
  await checkAlone(root, clone, entries, sessions, mayDouble)
}

/** No litter, nothing unknown, no Markdown file that belongs to no entry, modes as they should be. */
function checkTree(root, entries) {
  const owned = new Set(entries.map(({ path }) => path))
  for (const { path, stats } of walk(root)) {
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isDirectory()) {
      must(KNOWN_FOLDERS.test(path), `unknown folder ${path}`)
      must(mode === '700', `${path} has mode ${mode}`)
      continue
    }
    must(
      KNOWN_FILES.some((known) => known.test(path)),
      `litter: ${path}`,
    )
    must(stats.isSymbolicLink() || mode === '600', `${path} has mode ${mode}`)
    const isOwned = owned.delete(path)
    must(isOwned || !path.endsWith('.md') || path.endsWith('/HISTORY.md'), `${path} belongs to no entry`)
  }
  must(owned.size === 0, `entries without a file: ${[...owned]}`)
  const generations = readdirSync(join(root, '.state/lock'))
  must(generations.length === 1, `the lock has generations ${generations}`)
}

/** Whole but for segments whose very header was torn, which hold nothing. */
function checkJournal(root) {
  const folder = join(root, '.state/journal')
  for (const name of readdirSync(folder)) {
    const { lines, rest } = decodeJournal(readFileSync(join(folder, name)))
    must(rest === 'none' || lines.length === 0, `${name} is ${rest} after ${lines.length} lines`)
  }
}

/** A clone of the files without our hidden folder is the same memory. */
async function checkAlone(root, clone, entries, sessions, mayDouble) {
  rmSync(clone, { recursive: true, force: true })
  cpSync(root, clone, { recursive: true, preserveTimestamps: true, filter: (path) => path !== join(root, '.state') })
  const { store } = await openAs(9, clone)
  try {
    const difference = stateDifference(await entriesOf(store), entries, { withoutState: true })
    must(difference === undefined, `the files alone differ: ${difference}`)
    const [theirs, ours] = [JSON.stringify(await sessionsOf(store)), JSON.stringify(sessions)]
    must(theirs === ours, `the sessions of the clone differ: ${theirs}, not ${ours}`)
    must(
      (await store.problems()).every(({ problem }) => problem === mayDouble),
      'the clone has problems',
    )
  } finally {
    await store.close()
    rmSync(clone, { recursive: true, force: true })
  }
}

/** An edit by hand that no record holds yet has the time of its file, which an append to that file moves. */
function same(actual, expected, what) {
  const settled = (entries) =>
    entries.map((entry) => (entry.origin.by === 'hand' ? { ...entry, updatedAt: '' } : entry))
  const difference = stateDifference(settled(actual), settled(expected))
  must(difference === undefined, `${what}: ${difference}`)
}

function must(condition, what) {
  if (!condition) throw new Error(what)
}

/** Every file and folder, with its bytes, but not its times. */
export function fingerprint(root) {
  const hash = createHash('sha256')
  for (const { path, stats } of walk(root)) {
    hash.update(`${path}\0${stats.mode}\0${stats.ino}\0`)
    if (stats.isFile()) hash.update(readFileSync(join(root, path)))
    if (stats.isSymbolicLink()) hash.update(readlinkSync(join(root, path)))
  }
  return hash.digest('hex')
}

/** Nothing where there is no folder: a power cut may come before it was made. */
function* walk(root, folder = root) {
  for (const item of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const path = join(folder, item)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) continue
    yield { path: relative(root, path), stats }
    if (stats.isDirectory()) yield* walk(root, path)
  }
}
