/**
 * A folder of Markdown files, taken into a memory. A memory that is not there yet becomes what the folder is, to the
 * byte. Into any other one go the entries for which there is room, in one change for each agent: what is there stays, and an entry whose
 * id, name, alias or key is taken there is left out and named. The folder itself is only read.
 */
import { isKeepsakeError } from '../errors.ts'
import { handlesOf } from '../model/draft.ts'
import { type Entry, type EntryHead, WORLD } from '../model/entry.ts'
import type { AddOperation, Change } from '../model/operation.ts'
import type { CallOptions, MemoryImage, Movable, Store } from '../ports/store.ts'
import { type MoveStep, moveMemory } from './move-memory.ts'
import { countImage, withImage } from './watched-image.ts'

export interface ImportFolderOptions extends CallOptions {
  /** Nothing is written; the counts are those of the real import. */
  readonly dryRun?: boolean
  /** The memory was made already, with settings of its own: it stays that one, also with nothing in it. */
  readonly isMade?: boolean
  readonly onProgress?: (step: MoveStep) => void
}

export interface LeftOut {
  /** What it is, such as `the note "deploys" of main`. */
  readonly entry: string
  readonly reason: string
}

/** An agent can only take back what is its own and the world's: so each has a change of its own. */
export interface ImportedChange {
  readonly change: Change
  /** Whose undo takes it back; missing: anybody's. */
  readonly agent?: string
}

export interface ImportedFolder {
  /** The memory had nothing, and is what the folder is now: history, sessions and documents included. */
  readonly whole: boolean
  readonly added: number
  /** Entries that are in the memory already, with the same text. */
  readonly alreadyThere: number
  readonly leftOut: readonly LeftOut[]
  /** None where nothing was added, after a dry run, and where the whole folder was taken. */
  readonly changes: readonly ImportedChange[]
  readonly warnings: readonly string[]
}

export async function importFolder(
  folder: Store & Movable,
  memory: Store & Movable,
  options: ImportFolderOptions = {},
): Promise<ImportedFolder> {
  const { signal, onProgress, dryRun = false, isMade = false } = options
  const given: CallOptions = signal ? { signal } : {}
  const takesAll = memory.capabilities.moveHistory === true
  if (takesAll && !isMade && (await isUntouched(memory, given))) {
    if (dryRun) return wholeOf(await countImage(await folder.image(given)), [])
    try {
      const moved = await moveMemory(folder, memory, { ...given, ...(onProgress ? { onProgress } : {}), absorb: false })
      return wholeOf(moved, moved.warnings)
    } catch (error) {
      // Somebody has just begun to write: then it is a memory like any other.
      if (!isKeepsakeError(error) || error.code !== 'CONFLICT') throw error
    }
  }
  return merge(await folder.image(given), memory, given, dryRun)
}

function wholeOf({ entries }: { readonly entries: number }, warnings: readonly string[]): ImportedFolder {
  return { whole: true, added: entries, alreadyThere: 0, leftOut: [], changes: [], warnings }
}

async function isUntouched(memory: Movable, given: CallOptions): Promise<boolean> {
  return withImage(memory, given, async (image) => {
    if (image.cursor.number > 0 || image.nextSeq > 1) return false
    for await (const _ of image.sessions()) return false
    for await (const _ of image.files()) return false
    return true
  })
}

async function merge(image: MemoryImage, memory: Store, given: CallOptions, dryRun: boolean): Promise<ImportedFolder> {
  const room = roomIn(await memory.heads({}, given))
  const operations: AddOperation[] = []
  const leftOut: LeftOut[] = []
  let alreadyThere = 0
  for await (const entry of image.entries()) {
    const reason = room(entry)
    if (reason === undefined) operations.push(addOf(entry))
    else if (reason === SAME) alreadyThere++
    else leftOut.push({ entry: labelOf(entry), reason })
  }
  const changes: ImportedChange[] = []
  const warnings: string[] = []
  for (const [agent, own] of dryRun ? [] : byAgent(operations)) {
    const applied = await memory.apply({ operations: own, origin: { by: 'import' } }, given)
    if (applied.change) changes.push({ change: applied.change, ...(agent === WORLD ? {} : { agent }) })
    warnings.push(...applied.warnings)
  }
  return {
    whole: false,
    added: operations.length,
    alreadyThere,
    leftOut,
    changes,
    warnings: [...image.warnings, ...(await notMerged(image, memory)), ...warnings],
  }
}

/** What is the world's goes with the first agent. */
function byAgent(operations: readonly AddOperation[]): ReadonlyMap<string, readonly AddOperation[]> {
  const first = operations.find(({ scope }) => scope !== WORLD)?.scope ?? WORLD
  const groups = new Map<string, AddOperation[]>()
  for (const operation of operations) {
    const agent = operation.scope === WORLD ? first : operation.scope
    const own = groups.get(agent)
    if (own) own.push(operation)
    else groups.set(agent, [operation])
  }
  return groups
}

const SAME = 'it is there already'
/** A model follows an identity, and the folder may be someone else's. */
const IDENTITY = 'an identity is not imported into an existing memory; copy the file if you want it'
/** Kept where somebody wrote in it by hand; a memory has its own. */
const SETTINGS_FILE = 'keepsake.yaml'

/** Why an entry is not added; `undefined`: it is. */
function roomIn(heads: readonly EntryHead[]): (entry: EntryHead) => string | undefined {
  const byId = new Map(heads.map((head) => [head.id, head]))
  const byHandle = new Map(heads.flatMap((head) => handlesOf(head).map((handle) => [handleKey(head, handle), head])))
  const nameless = new Set(heads.filter(({ name }) => name === null).map(sayingOf))
  return (entry) => {
    const own = byId.get(entry.id)
    if (own) return own.revision === entry.revision ? SAME : 'it is there with another text, which stays'
    if (entry.name === null && nameless.has(sayingOf(entry))) return SAME
    for (const handle of handlesOf(entry)) {
      const holder = byHandle.get(handleKey(entry, handle))
      if (!holder) continue
      if (holder.kind === entry.kind && holder.revision === entry.revision) return SAME
      return `${JSON.stringify(entry.key ?? handle)} belongs to ${labelOf(holder)} there`
    }
    return entry.kind === 'identity' ? IDENTITY : undefined
  }
}

function handleKey({ scope }: EntryHead, handle: string): string {
  return `${scope}\0${handle}`
}

/** Log entries have no names: the same text at the same time is the same entry. */
function sayingOf({ scope, kind, createdAt, revision }: EntryHead): string {
  return [scope, kind, createdAt, revision].join('\0')
}

function addOf({ seq: _, revision: __, path: ___, ...entry }: Entry): AddOperation {
  return { op: 'add', ...entry }
}

function labelOf({ kind, name, key, id, scope }: EntryHead): string {
  return `the ${kind} ${JSON.stringify(name ?? key ?? id)} of ${scope}`
}

/** Only a memory with nothing in it takes these. */
async function notMerged(image: MemoryImage, { capabilities }: Store): Promise<string[]> {
  const left: string[] = []
  for await (const { key, scope } of image.sessions()) left.push(`session ${JSON.stringify(key)} of ${scope}`)
  for await (const { path, entries } of image.files()) {
    if (entries.length === 0 && path !== SETTINGS_FILE) left.push(path)
  }
  const reason =
    capabilities.moveHistory === true ? 'only an empty memory takes sessions and documents' : capabilities.moveHistory
  return left.map((what) => `${what} was left out: ${reason}.`)
}
