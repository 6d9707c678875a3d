/**
 * Transcripts: one JSONL file a session, only ever appended to. The first line is the metadata, every other one is what
 * one append brought: a record, or several in a list, so that an append is there whole or not at all.
 * A last line without its end is a crash's: readers pass it over, and the next append, under the lock, cuts it.
 */
import { closeSync, ftruncateSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { InvalidError } from '../../errors.ts'
import type { JsonValue, Scope } from '../../model/entry.ts'
import { normalizeMetadata } from '../../model/json.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SessionInfo, SessionPage, SessionRecord, Sessions } from '../../ports/store.ts'
import { scopeFolder } from './layout.ts'
import { listFolder } from './list-folder.ts'
import { safeFileName } from './safe-file-name.ts'
import {
  attempt,
  decodeText,
  makeFolder,
  openForAppend,
  readBytes,
  readFileAt,
  replaceFileDurably,
  statFile,
  syncData,
  syncFolder,
  wrapped,
  writeAll,
} from './system.ts'
import type { Workspace } from './workspace.ts'
import type { Writer } from './writer.ts'

const NEWLINE = 10

export function fileSessions(
  workspace: Workspace,
  writer: Writer,
  clock: Clock,
  enter: (signal?: AbortSignal) => void,
): Sessions {
  /** Files whose sync failed: the next append writes them anew instead of syncing them again. */
  const unsyncable = new Set<string>()

  const pathOf = (scope: Scope, key: string): string => {
    const folder = `${scopeFolder(workspace.layout, normalizeAgentId(scope))}sessions`
    const path = `${folder}/${safeFileName(key, 'session')}.jsonl`
    workspace.refuseLinks(path)
    return workspace.absolute(path)
  }

  async function append(path: string, key: string, records: readonly SessionRecord[]): Promise<void> {
    if (!statFile(dirname(path))) {
      makeFolder(dirname(path))
      await syncFolder(dirname(dirname(path)))
    }
    if (unsyncable.has(path)) await renew(path)
    const { fd, size } = openForAppend(path)
    const start = attempt('mending', path, () => cutTornLine(path, fd, size))
    const meta = start === 0 ? `${JSON.stringify({ key, createdAt: instant(clock()) })}\n` : ''
    const line = JSON.stringify(records.length === 1 ? records[0] : records)
    try {
      writeAll(fd, Buffer.from(`${meta}${line}\n`))
      await syncData(fd)
      // Also when a crash left it empty: then its name may not be on the disk yet.
      if (start === 0) await syncFolder(dirname(path))
    } catch (error) {
      unsyncable.add(path)
      try {
        ftruncateSync(fd, start)
      } catch {
        // what stays is an append that nobody was promised
      }
      throw wrapped('writing', path, error)
    } finally {
      closeSync(fd)
    }
  }

  async function renew(path: string): Promise<void> {
    const file = readFileAt(path)
    if (file) await replaceFileDurably(path, file.bytes, join(workspace.stateFolder, 'tmp'))
    unsyncable.delete(path)
  }

  return {
    async append(scope, key, records, { signal } = {}) {
      enter(signal)
      const kept = records.map((record) => {
        if (!isRecord(record)) throw new InvalidError('record', 'is not an object', 'a JSON object')
        return normalizeMetadata(record)
      })
      if (kept.length === 0) throw new InvalidError('records', 'is empty', 'at least one record')
      workspace.catchUp()
      await writer.exclusively(() => append(pathOf(scope, key), key, kept), signal)
    },
    async read(scope, key, from = 0, { signal } = {}) {
      enter(signal)
      workspace.catchUp()
      return readSession(pathOf(scope, key), from)
    },
    async list(scope, { signal } = {}) {
      enter(signal)
      workspace.catchUp()
      const folder = join(workspace.root, `${scopeFolder(workspace.layout, normalizeAgentId(scope))}sessions`)
      const names = listFolder(folder).flatMap((item) =>
        item.isFile() && item.name.endsWith('.jsonl') ? [item.name] : [],
      )
      const found = names.flatMap((name): SessionInfo[] => {
        const { key, createdAt } = readSession(join(folder, name), 0)?.meta ?? {}
        return typeof key === 'string' && typeof createdAt === 'string' ? [{ key, createdAt }] : []
      })
      return found.sort((a, b) =>
        a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.key < b.key ? -1 : 1,
      )
    },
  }
}

/** Where the last whole line ends; a torn one after it is cut. Read back from the end only when the end is torn. */
function cutTornLine(path: string, fd: number, size: number): number {
  if (size === 0) return 0
  const reading = openSync(path, 'r')
  try {
    if (readBytes(reading, size - 1, 1)[0] === NEWLINE) return size
    const end = readBytes(reading, 0, size).lastIndexOf(NEWLINE) + 1
    ftruncateSync(fd, end)
    return end
  } finally {
    closeSync(reading)
  }
}

/** Positions are bytes. */
function readSession(path: string, from: number): SessionPage | undefined {
  const file = readFileAt(path)
  if (!file) return undefined
  const bytes = file.bytes
  const firstEnd = bytes.indexOf(NEWLINE) + 1
  if (firstEnd === 0) return undefined
  const meta = parseLine(bytes.subarray(0, firstEnd - 1))
  const records: SessionRecord[] = []
  const broken: { line: number; problem: string }[] = []
  if (!isRecord(meta)) broken.push({ line: 1, problem: 'the metadata line can not be read' })
  const end = bytes.lastIndexOf(NEWLINE) + 1
  // Where no record begins, the position is of a transcript that a purge has rewritten since.
  const isPlace = from <= firstEnd || (from <= end && bytes[from - 1] === NEWLINE)
  const start = isPlace ? Math.max(from, firstEnd) : firstEnd
  let line = count(bytes.subarray(0, start)) + 1
  for (let at = start; at < end; line++) {
    const next = bytes.indexOf(NEWLINE, at)
    const value = parseLine(bytes.subarray(at, next))
    const items = Array.isArray(value) ? value : [value]
    if (value !== undefined && items.every(isRecord)) records.push(...items)
    else broken.push({ line, problem: 'it is not a JSON object' })
    at = next + 1
  }
  const page = { meta: isRecord(meta) ? meta : {}, records, next: Math.max(end, start), broken }
  return isPlace ? page : { ...page, restarted: true }
}

function parseLine(bytes: Uint8Array): JsonValue | undefined {
  const text = decodeText(bytes)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as JsonValue // JSON.parse gives nothing else
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is SessionRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function count(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  return lines
}
