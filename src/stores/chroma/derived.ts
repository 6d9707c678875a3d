/**
 * Derived bytes on the server: in parts, and a record that says which ones count, put last. So whoever reads finds the bytes of one
 * writer, whole, or none. They count for the epoch that they were written in: after a purge nobody reads them, also where their writer
 * came late or was stopped before it could take them away. Makes no memory, and what could not be kept is no error.
 * A write removes the parts that were there before it and do not count after it, whoever left them. A slower one on another machine
 * may lose its own that way; it looks, and says that they were not kept.
 */
import { isCount, isMapping, isText } from '../../codec/head-shape.ts'
import { isKeepsakeError } from '../../errors.ts'
import type { CallOptions, Derived } from '../../ports/store.ts'
import { safeFileName } from '../disk/safe-file-name.ts'
import { sha256Hex } from '../disk/sha256.ts'
import type { Enter } from '../memory/enter.ts'
import { type PartsNote, partIds, readParts, removeParts, writeParts } from './log/parts.ts'
import type { MemoryGround, MemoryPlace } from './memory-place.ts'
import type { Shelf, ShelfRecord } from './server/shelf.ts'

const KIND = 'd'
/** A longer one would leave no room for the rest of an id. */
const MOST_NAME_BYTES = 80
const HASH_DIGITS = 16

/** What counts. */
interface Kept {
  readonly epoch: string
  /** Missing: a first write has begun. */
  readonly parts?: PartsNote
}

export function chromaDerived(ground: MemoryGround, enter: Enter): Derived {
  const { log } = ground
  /** Those of this process one after the other, so that none loses its parts to another. */
  let writing: Promise<unknown> = Promise.resolve()

  async function read(name: string, options: CallOptions): Promise<Uint8Array | undefined> {
    const memory = await ground.find(options)
    if (!memory) return undefined
    const { generation, epoch } = memory
    for (let tag: string | undefined; ; ) {
      const kept = await keptAt(log, idOf(generation, name), options)
      if (kept?.epoch !== epoch || !kept.parts || kept.parts.tag === tag) return undefined
      const bytes = await readParts(log, generation, kept.parts, options)
      if (bytes) return bytes
      tag = kept.parts.tag // where they were overwritten meanwhile, there are others now
    }
  }

  async function write({ generation, epoch }: MemoryPlace, name: string, bytes: Uint8Array): Promise<boolean> {
    const id = idOf(generation, name)
    const parts = { g: generation, kind: 'p', of: id }
    const before = await log.findIds(parts)
    // Who removes all of them finds the parts by this record.
    await log.add([recordOf(generation, id, { epoch })])
    const note = await writeParts(log, { generation, of: id }, bytes)
    await log.put([recordOf(generation, id, { epoch, parts: note })])
    if ((await ground.find())?.epoch !== epoch) {
      // The purge may have looked before these were there.
      await removeParts(log, generation, [note])
      return false
    }
    const counting = (await keptAt(log, id))?.parts
    const there = new Set(await log.findIds(parts))
    const mine = partIds(generation, note)
    const isThere = mine.every((part) => there.has(part))
    const isLast = counting?.tag === note.tag
    for (const part of counting ? partIds(generation, counting) : []) there.delete(part)
    const left = (isLast ? before : [...before, ...mine]).filter((part) => there.has(part))
    if (left.length > 0) await log.remove(left)
    return isThere
  }

  return {
    async read(key, options = {}) {
      enter(options.signal)
      const name = nameOf(key)
      return unlessItFails(read(name, options), undefined)
    },
    async write(key, bytes, madeFrom) {
      enter()
      const name = nameOf(key)
      const copy = bytes.slice() // whoever gave them may write over them
      const written = writing.then(async () => {
        const memory = await ground.find()
        if (!memory || (madeFrom && madeFrom.epoch !== memory.epoch)) return false
        const { generation, epoch } = memory
        return write({ generation, epoch }, name, copy)
      })
      writing = written.catch(() => undefined)
      return unlessItFails(written, false)
    },
  }
}

/** All of them, and what unfinished writes left: nobody knows what is in them. */
export async function removeDerived(log: Shelf, generation: string, options: CallOptions = {}): Promise<void> {
  const ids = await log.findIds({ g: generation, kind: KIND }, options)
  for (const id of ids) {
    const parts = await log.findIds({ g: generation, kind: 'p', of: id }, options)
    if (parts.length > 0) await log.remove(parts, options)
  }
  if (ids.length > 0) await log.remove(ids, options)
}

async function keptAt(log: Shelf, id: string, options?: CallOptions): Promise<Kept | undefined> {
  const record = (await log.get([id], options)).get(id)
  try {
    const said: unknown = JSON.parse(record?.text ?? 'null')
    return isKept(said) ? said : undefined
  } catch {
    return undefined // not ours any more, and as good as none
  }
}

function isKept(value: unknown): value is Kept {
  if (!isMapping(value) || !isText(value['epoch'])) return false
  const { parts } = value
  if (parts === undefined) return true
  return isMapping(parts) && isText(parts['tag']) && [parts['count'], parts['bytes'], parts['crc']].every(isCount)
}

function recordOf(generation: string, id: string, kept: Kept): ShelfRecord {
  return { id, text: JSON.stringify(kept), labels: { g: generation, kind: KIND } }
}

function idOf(generation: string, name: string): string {
  return `${generation}/${KIND}/${name}`
}

/** As in every store: a key is any text but none. */
function nameOf(key: string): string {
  const name = safeFileName(key, 'key')
  if (name.length <= MOST_NAME_BYTES) return name
  return `${name.slice(0, MOST_NAME_BYTES - HASH_DIGITS - 1)}~${sha256Hex(key).slice(0, HASH_DIGITS)}`
}

/** Whoever wants them makes them anew; what is wrong with the server is told by the next call that needs it. */
async function unlessItFails<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return otherwise
  }
}
