/** Exports a memory as an image, and fills new tables from one. An image sees one moment; adoption is one transaction. */
import type { Entry } from '../../model/entry.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { KeptFile, MemoryImage, Settings } from '../../ports/store.ts'
import { putEntry, putNames, scanEntries } from './entries.ts'
import { appendChange, putVersion, readBaseEntries, readCursor, recordedChanges } from './history.ts'
import {
  damagedRow,
  insert,
  isIntact,
  parseJson,
  readCounters,
  readSetting,
  writeCounters,
  writeSetting,
} from './schema.ts'
import { putTranscript, transcripts } from './sessions.ts'
import type { Row, Sql } from './sql.ts'

/** Reads through `sql` until it is closed. */
export async function createImage(sql: Sql, settings: Settings, close?: () => Promise<void>): Promise<MemoryImage> {
  const since = await readSetting(sql, 'since')
  return {
    settings,
    cursor: await readCursor(sql),
    nextSeq: (await readCounters(sql)).nextSeq,
    history: {
      ...(since === undefined ? {} : { since }),
      entries: await readBaseEntries(sql),
      changes: () => recordedChanges(sql),
    },
    entries: () => scanEntries((work) => work(sql), {}),
    sessions: () => transcripts(sql),
    files: () => readKeptFiles(sql),
    warnings: [],
    close: close ?? (async () => undefined),
  }
}

export async function* readKeptFiles(sql: Sql): AsyncGenerator<KeptFile> {
  for (const { path } of await sql.all('SELECT path FROM files ORDER BY path')) {
    for (const row of await sql.all('SELECT * FROM files WHERE path = ?', [path ?? null])) yield parseKeptFile(row)
  }
}

export function parseKeptFile(row: Row): KeptFile {
  const [path, what] = [String(row['path']), `the file ${row['path']}`]
  if (!isIntact('files', row)) throw damagedRow(what)
  const entries = parseJson(row['entries'], what) as KeptFile['entries'] // checked below
  if (!Array.isArray(entries) || !entries.every((one) => typeof one?.id === 'string')) throw damagedRow(what)
  return { path, bytes: new Uint8Array(row['bytes'] as Uint8Array), entries } // as the schema says
}

/** The rows of every new memory. */
export async function initTables(sql: Sql, settings: Settings): Promise<void> {
  await writeSetting(sql, 'settings', JSON.stringify(settings))
  await writeSetting(sql, 'epoch', crypto.randomUUID())
}

/** `onItem` is called for each entry, change, session and file; throwing aborts. */
export async function fillTables(sql: Sql, image: MemoryImage, onItem: () => void): Promise<void> {
  const { settings, history, cursor, nextSeq } = image
  await initTables(sql, settings)
  let firstNumber: number | undefined
  for await (const { change, touched } of history.changes()) {
    onItem()
    if (firstNumber === undefined) {
      firstNumber = change.number
      await putBase(sql, history.entries, change.number - 1)
    }
    await appendChange(sql, change, touched)
    for (const { before } of touched) if (before) await putNames(sql, before, false)
  }
  if (firstNumber === undefined) await putBase(sql, history.entries, cursor.number)
  for await (const entry of image.entries()) {
    onItem()
    await putEntry(sql, entry)
  }
  for await (const session of image.sessions()) {
    onItem()
    await putTranscript(sql, { ...session, scope: normalizeAgentId(session.scope) })
  }
  for await (const { path, bytes, entries } of image.files()) {
    onItem()
    await insert(sql, 'files', { path, bytes, entries: JSON.stringify(entries) })
  }
  await writeCounters(sql, { number: cursor.number, nextSeq })
  if (history.since !== undefined) await writeSetting(sql, 'since', history.since)
}

async function putBase(sql: Sql, entries: readonly Entry[], number: number): Promise<void> {
  for (const [position, entry] of entries.entries()) {
    await putVersion(sql, { id: entry.id, number, position, scope: entry.scope, kind: entry.kind, entry })
  }
}
