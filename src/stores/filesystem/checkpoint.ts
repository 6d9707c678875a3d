/**
 * The checkpoint: the catalogue as one file, and the place in the journal up to which every file it tells of is known to be
 * on disk. Opening reads it and the few records after it. Without it, or when it is not whole, the journal is read from
 * its beginning.
 */
import { join } from 'node:path'
import type { Signature } from '../../codec/journal-record.ts'
import type { EntryHead } from '../../model/entry.ts'
import { Catalog } from './catalog.ts'
import type { Position } from './journal.ts'
import { knownFile } from './known-files.ts'
import { decodeText, hashBytes, readFileAt, replaceFileDurably } from './system.ts'

const VERSION = 2

export interface Checkpoint {
  readonly catalog: Catalog
  readonly epoch: string
  readonly position: Position
  readonly bytes: number
}

type HeadRow = readonly unknown[]
type FileRow = readonly [path: string, hash: string | null, size: number | null, signature: Signature | null]

interface CheckpointText {
  readonly version: number
  readonly epoch: string
  readonly position: Position
  readonly number: number
  readonly turn: number
  readonly nextSeq: number
  readonly entries: readonly HeadRow[]
  readonly files: readonly FileRow[]
}

export function readCheckpoint(stateFolder: string): Checkpoint | undefined {
  const file = readFileAt(pathIn(stateFolder))
  const text = file && decodeText(file.bytes)
  if (file === undefined || text === undefined) return undefined
  const json = text.slice(33)
  if (hashBytes(json) !== text.slice(0, 32)) return undefined
  const data = JSON.parse(json) as CheckpointText // the checksum proves that we wrote it
  if (data.version !== VERSION) return undefined
  const catalog = new Catalog()
  for (const row of data.entries) catalog.put(headFromRow(row))
  for (const [path, hash, size, signature] of data.files) {
    catalog.files.set(path, knownFile(hash ?? undefined, size ?? undefined, signature ?? undefined))
    if (hash !== null && signature === null) catalog.unsigned.add(path)
  }
  catalog.nextSeq = data.nextSeq
  catalog.epoch = data.epoch
  catalog.number = data.number
  catalog.turn = data.turn
  return { catalog, epoch: data.epoch, position: data.position, bytes: file.bytes.length }
}

/** Durable when it returns; the size of what was written. */
export async function writeCheckpoint(
  stateFolder: string,
  temporaryFolder: string,
  state: Omit<Checkpoint, 'bytes'>,
): Promise<number> {
  const { catalog, epoch, position } = state
  const data: CheckpointText = {
    version: VERSION,
    epoch,
    position,
    number: catalog.number,
    turn: catalog.turn,
    nextSeq: catalog.nextSeq,
    entries: [...catalog.heads()].map(rowFromHead),
    files: [...catalog.files].map(([path, file]) => [
      path,
      file.hash ?? null,
      file.size ?? null,
      file.signature ?? null,
    ]),
  }
  const json = JSON.stringify(data)
  const bytes = Buffer.from(`${hashBytes(json)} ${json}`)
  await replaceFileDurably(pathIn(stateFolder), bytes, temporaryFolder)
  return bytes.length
}

function pathIn(stateFolder: string): string {
  return join(stateFolder, 'checkpoint')
}

// Rows instead of objects: a third of the size and of the time to parse, which every command's start pays.
function rowFromHead(head: EntryHead): HeadRow {
  return [
    head.id,
    head.seq,
    head.revision,
    head.scope,
    head.kind,
    head.name,
    head.key ?? null,
    head.aliases,
    head.description,
    head.metadata,
    head.createdAt,
    head.updatedAt,
    head.expiresAt,
    head.origin,
    head.path ?? null,
  ]
}

function headFromRow(row: HeadRow): EntryHead {
  const [id, seq, revision, scope, kind, name, key, aliases, description, metadata, ...rest] = row
  const [createdAt, updatedAt, expiresAt, origin, path] = rest
  return {
    id,
    seq,
    revision,
    scope,
    kind,
    name,
    ...(key === null ? {} : { key }),
    aliases,
    description,
    metadata,
    createdAt,
    updatedAt,
    expiresAt,
    origin,
    ...(path === null ? {} : { path }),
  } as EntryHead // the inverse of rowFromHead, under a checksum
}
