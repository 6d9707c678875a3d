/**
 * What another store's memory is on the server, written under a generation that nobody else knows yet, and proved to be there. What it
 * makes the memory is not here (adopt.ts).
 */
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { ChangeRecord } from '../../../codec/change-record.ts'
import { DamagedError, KeepsakeError } from '../../../errors.ts'
import type { Entry } from '../../../model/entry.ts'
import type { AdoptOptions, CallOptions, MemoryImage } from '../../../ports/store.ts'
import { take } from '../../disk/head-change.ts'
import { changeRecordOf, withoutPlace } from '../../disk/recorded-change.ts'
import { changesLog, encodeLog } from '../changes-log.ts'
import { writeFiles } from '../kept-files.ts'
import type { Root } from '../root.ts'
import type { Shelf } from '../server/shelf.ts'
import { adoptSessions } from '../sessions/session-texts.ts'
import { writeSnapshot } from '../snapshots.ts'
import { GatheringShelf } from './gathering-shelf.ts'

/** How an error names it. */
export const SOURCE = 'the memory to be moved'
/** Changes are packed into records of about this size: one that is as large as can be takes no longer than a small one. */
const PACKED_BYTES = 24_000
const STEPS_PER_REPORT = 1000

/** Reports progress at intervals, and lets other work run in between. */
export class AdoptProgress {
  readonly #options: AdoptOptions
  #done = 0
  #total: number

  constructor({ history, cursor }: MemoryImage, options: AdoptOptions) {
    this.#options = options
    this.#total = history.entries.length + cursor.number
  }

  async step(): Promise<void> {
    this.#done++
    this.#total = Math.max(this.#total, this.#done)
    if (this.#done % STEPS_PER_REPORT !== 0) return
    this.#options.signal?.throwIfAborted()
    this.#options.onProgress?.(this.#done, this.#total)
    await letOthersRun()
  }

  end(): void {
    this.#options.signal?.throwIfAborted()
    this.#options.onProgress?.(this.#done, this.#done)
  }
}

interface Writing {
  readonly call: CallOptions
  readonly progress: AdoptProgress
}

export async function writeGeneration(shelf: Shelf, root: Root, image: MemoryImage, writing: Writing): Promise<void> {
  const { call, progress } = writing
  const { generation, epoch } = root
  const { history, cursor, nextSeq } = image
  const log = new GatheringShelf(shelf, call)
  const base = history.entries.map(withoutPlace)
  if (history.since !== undefined) {
    await writeSnapshot(log, generation, 'b', { ...root.at, epoch, since: history.since, entries: base }, call)
  }
  const entries = new Map(base.map((entry) => [entry.id, entry]))
  const last = await writeChanges(log, root, image, { ...writing, entries })
  await refuseOtherEntries(image, entries, progress)
  const number = Math.max(cursor.number, last.number)
  const now = { position: last.position, number, nextSeq, epoch, entries: [...entries.values()] }
  await writeSnapshot(log, generation, 'z', now, call)
  await adoptSessions(log, generation, counted(progress, image.sessions()), call)
  await writeFiles(log, generation, counted(progress, image.files()), call)
  progress.end()
  await refuseLoss(log, generation, call)
}

interface LastWritten {
  readonly position: number
  readonly number: number
}

/** Brings the entries to where the changes end. */
async function writeChanges(
  shelf: Shelf,
  { generation, at }: Root,
  { history }: MemoryImage,
  { call, progress, entries }: Writing & { readonly entries: Map<string, Entry> },
): Promise<LastWritten> {
  const log = changesLog(shelf, generation)
  let { position, number } = at
  let after: string | undefined
  const write = async (changes: readonly ChangeRecord[]): Promise<void> => {
    if (changes.length === 0) return
    const [text, tag] = [encodeLog({ ...(after === undefined ? {} : { after }), changes }), crypto.randomUUID()]
    await log.fill(position++, [text], { ...call, tags: [tag] })
    after = tag
  }
  const packed = new PackedChanges()
  for await (const recorded of history.changes()) {
    const record = changeRecordOf(recorded)
    if (record.number <= number) throw damagedSource(`change ${record.number} comes late`)
    number = record.number
    take(entries, record)
    await write(packed.add(record))
    await progress.step()
  }
  await write(packed.end())
  return { position, number }
}

/** Several changes in a record, where they are short. */
class PackedChanges {
  #changes: ChangeRecord[] = []
  #bytes = 0

  /** Those of the record that is full without this one. */
  add(change: ChangeRecord): readonly ChangeRecord[] {
    const bytes = Buffer.byteLength(JSON.stringify(change))
    const full = this.#bytes + bytes > PACKED_BYTES ? this.end() : []
    this.#changes.push(change)
    this.#bytes += bytes
    return full
  }

  end(): readonly ChangeRecord[] {
    const changes = this.#changes
    this.#changes = []
    this.#bytes = 0
    return changes
  }
}

/** Where the changes do not come to the entries, the source is damaged: the copy would be too. */
async function refuseOtherEntries(
  image: MemoryImage,
  entries: ReadonlyMap<string, Entry>,
  progress: AdoptProgress,
): Promise<void> {
  let count = 0
  for await (const { id, revision, content } of image.entries()) {
    const ours = entries.get(id)
    if (ours?.revision !== revision || ours.content !== content) {
      throw damagedSource(`entry ${id} is not what its changes made of it`)
    }
    count++
    await progress.step()
  }
  if (count !== entries.size) throw damagedSource('its changes tell of other entries')
}

/** Before it becomes the memory: each record that was sent is there, and no other. */
async function refuseLoss(log: GatheringShelf, generation: string, call: CallOptions): Promise<void> {
  const there = await log.findIds({ g: generation }, call)
  if (there.length === log.ids.size && there.every((id) => log.ids.has(id))) return
  throw new KeepsakeError('IO', `the server has ${there.length} of the ${log.ids.size} records that were sent to it`, {
    hint: 'Nothing was made of them. Look at the log of the server, and try again.',
    data: { sent: log.ids.size, there: there.length },
  })
}

async function* counted<T>(progress: AdoptProgress, items: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    yield item
    await progress.step()
  }
}

export function damagedSource(problem: string): DamagedError {
  return new DamagedError(SOURCE, problem, 'Nothing was made of it. Look at it with: keepsake doctor')
}
