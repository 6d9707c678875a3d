// A workspace for the fault tests: opened with a clock that stands still and ids that count up, so that one scenario gives
// the same memory in every run, and looked at whole. Used by the tests and by the programs they start. It is a folder, or one
// file in a folder, as the end of its path says: so one scenario is played on both.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openMemory } from '../../dist/index.js'

export const AGENTS = ['main', 'other']
const DAY_MS = Date.parse('2026-03-14T12:00:00.000Z')

/** In memory where the system has such a folder: a kill loses nothing that a sync would have kept, and syncs take long. */
export function scratchFolder(name, { onDisk = false } = {}) {
  const memory = '/dev/shm'
  const disk = process.env.TMPDIR_ON_DISK ?? tmpdir()
  return mkdtempSync(join(!onDisk && existsSync(memory) ? memory : disk, `keepsake-${name}-`))
}

export const STORES = ['folder', 'file']

/** Where a workspace of this store lies; what faults may strike is in `folder` either way. */
export function rootIn(folder, store) {
  return store === 'file' ? join(folder, 'memory.keepsake') : folder
}

export function isOneFile(root) {
  return root.endsWith('.keepsake')
}

export function folderOf(root) {
  return isOneFile(root) ? dirname(root) : root
}

/** Loaded by need: a program is started thousands of times. */
async function storeAt(root, options) {
  if (isOneFile(root)) {
    const { fileStore } = await import('../../dist/stores/file/store.js')
    return fileStore({ path: root, ...options })
  }
  const { filesystemStore } = await import('../../dist/stores/filesystem/store.js')
  return filesystemStore({ root, ...options })
}

/** Opens as the n-th process of a test: an hour later than the one before it, with ids of its own. */
export async function openAs(n, root, options = {}, settings = {}) {
  const ms = DAY_MS + n * 3_600_000
  const store = await storeAt(root, { clock: () => ms, newId: countedIds(n), timezone: 'UTC', ...options })
  return { root, store, memory: await openMemory({ store, clock: () => ms, ...settings }) }
}

function countedIds(n) {
  let count = n * 0x10000
  return (ms) => {
    const time = Math.floor(ms).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${(++count).toString(16).padStart(12, '0')}`
  }
}

export async function entriesOf(store) {
  const entries = []
  for await (const entry of store.scan()) entries.push(entry)
  return entries
}

export async function sessionsOf(store) {
  const sessions = []
  for (const scope of AGENTS) {
    for (const { key, createdAt } of await store.sessions.list(scope)) {
      const { records, broken } = await store.sessions.read(scope, key)
      // A crash may leave the first line of a session and no record: then there is nothing in it.
      if (records.length + broken.length > 0) sessions.push({ scope, key, createdAt, records, broken })
    }
  }
  return sessions
}

const FIELDS = [
  ...['id', 'revision', 'scope', 'kind', 'name', 'key', 'aliases', 'description', 'content', 'metadata'],
  ...['createdAt', 'updatedAt', 'expiresAt', 'origin', 'path'],
]

/** The whole memory as one comparable text. Ids that a retry makes anew are told by their order. */
export async function stateOf(store) {
  const entries = (await entriesOf(store)).sort((a, b) => a.seq - b.seq)
  const ranks = new Map(entries.map(({ id }, rank) => [id, id[14] === '7' ? `#${rank}` : id]))
  const shown = entries.map((entry) => ({
    ...Object.fromEntries(FIELDS.flatMap((field) => (entry[field] === undefined ? [] : [[field, entry[field]]]))),
    id: ranks.get(entry.id),
    content: entry.content.length < 200 ? entry.content : createHash('sha256').update(entry.content).digest('hex'),
  }))
  return JSON.stringify({ entries: shown, sessions: await sessionsOf(store) }, undefined, 1)
}
