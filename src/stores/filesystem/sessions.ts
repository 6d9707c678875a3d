/**
 * Transcripts: one JSONL file a session, only ever appended to. The first line is the metadata, every other one is what
 * one append brought: a record, or several in a list, so that an append is there whole or not at all.
 * A last line without its end is not there yet for readers. The next append, under the lock, cuts it where a crash of ours
 * left it, and else ends it: a hand's line is kept.
 */
import { closeSync, ftruncateSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SessionConflictError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { normalizeAgentId } from '../../model/name.ts'
import { instant } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SessionInfo, SessionRecord, Sessions } from '../../ports/store.ts'
import { byAge, keptRecords } from '../disk/kept-session.ts'
import { listFolder } from '../disk/list-folder.ts'
import { readFileAt, statFile } from '../disk/reading.ts'
import { safeFileName } from '../disk/safe-file-name.ts'
import { positionIn, readBackward, readForward, readMetadata, readRest } from '../disk/session-file.ts'
import { keyOfFile, keyProblem, type SessionMetadata } from '../disk/session-metadata.ts'
import { restOf } from '../disk/session-tail.ts'
import {
  attempt,
  makeFolder,
  openForAppend,
  replaceFileDurably,
  syncData,
  syncFolder,
  wrapped,
  writeAll,
} from '../disk/system.ts'
import { scopeFolder } from './layout.ts'
import { lookInto } from './transcript-file.ts'
import type { Workspace } from './workspace.ts'
import type { Writer } from './writer.ts'

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

  async function append(
    path: string,
    key: string,
    records: readonly SessionRecord[],
    expectEnd: number | undefined,
  ): Promise<number> {
    // Before a file is made.
    if (expectEnd && !statFile(path)) throw new SessionConflictError(key, expectEnd, 0)
    if (!statFile(dirname(path))) {
      makeFolder(dirname(path))
      await syncFolder(dirname(dirname(path)))
    }
    if (unsyncable.has(path)) await renew(path)
    const { fd, size } = openForAppend(path)
    try {
      const start = attempt('mending', path, () => mendEnd(path, fd, size))
      const position = lookInto(path, (source) => positionIn(source, start)) ?? start
      if (expectEnd !== undefined && expectEnd !== position) throw new SessionConflictError(key, expectEnd, position)
      return position + (await write(path, fd, start, key, records))
    } finally {
      closeSync(fd)
    }
  }

  /** How many bytes it was. */
  async function write(
    path: string,
    fd: number,
    start: number,
    key: string,
    records: readonly SessionRecord[],
  ): Promise<number> {
    const meta = start === 0 ? `${JSON.stringify({ key, createdAt: instant(clock()) })}\n` : ''
    const line = JSON.stringify(records.length === 1 ? records[0] : records)
    const bytes = Buffer.from(`${meta}${line}\n`)
    try {
      writeAll(fd, bytes)
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
    }
    return bytes.length
  }

  async function renew(path: string): Promise<void> {
    const file = readFileAt(path)
    if (file) await replaceFileDurably(path, file.bytes, join(workspace.stateFolder, 'tmp'))
    unsyncable.delete(path)
  }

  return {
    async append(scope, key, records, { signal, expectEnd } = {}) {
      enter(signal)
      const kept = keptRecords(key, records)
      workspace.catchUp()
      const end = await writer.exclusively(() => append(pathOf(scope, key), key, kept, expectEnd), signal)
      return { end }
    },
    async read(scope, key, from = 0, { signal } = {}) {
      enter(signal)
      workspace.catchUp()
      return lookInto(pathOf(scope, key), (source) => readForward(source, from))
    },
    async readBefore(scope, key, before, { signal } = {}) {
      enter(signal)
      workspace.catchUp()
      return lookInto(pathOf(scope, key), (source) => readBackward(source, before))
    },
    async list(scope, { signal } = {}) {
      enter(signal)
      workspace.catchUp()
      const folder = join(workspace.root, `${scopeFolder(workspace.layout, normalizeAgentId(scope))}sessions`)
      const names = listFolder(folder).flatMap((item) =>
        item.isFile() && item.name.endsWith('.jsonl') ? [item.name] : [],
      )
      const found = names.flatMap((name): SessionInfo[] => {
        const said = lookInto(join(folder, name), readMetadata)
        return said ? [infoOf(name, said)] : []
      })
      return found.sort(byAge)
    },
  }
}

/** What no key leads to is told by the name of its file: it may be the transcript that someone misses. */
function infoOf(fileName: string, { meta, problem }: SessionMetadata): SessionInfo {
  const { key, createdAt } = meta
  const problems = [problem, keyProblem(fileName, key)].filter((one) => one !== undefined)
  return {
    key: keyOfFile(fileName, key) ?? fileName,
    createdAt: typeof createdAt === 'string' ? createdAt : null,
    ...(problems.length === 0 ? {} : { problem: problems.join('; ') }),
  }
}

/** Where the next line begins, once what has no end is cut or ended. */
function mendEnd(path: string, fd: number, size: number): number {
  const { end, rest } = lookInto(path, readRest) ?? { end: size, rest: new Uint8Array() }
  if (rest.length === 0) return end
  if (restOf(rest, end === 0) === 'torn') {
    ftruncateSync(fd, end)
    return end
  }
  writeAll(fd, Buffer.from('\n'))
  return end + rest.length + 1
}
