/**
 * What this process holds of the memory on the server, and how it comes up to date: one look at what stands behind the last record that was
 * taken. Loaded from the newest snapshot and the log behind it, and loaded anew where the log is not the one that was followed
 * (its past was cut off meanwhile, or the server was put back to an earlier state). Never writes.
 * Invariant: who asks is answered from a look that began after the question. When that was asked only the caller knows: a look is
 * spared to who says so, and to nobody because the last one was a moment ago.
 */
import { DamagedError, KeepsakeError } from '../../errors.ts'
import { abortable } from '../../model/abortable.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CallOptions, Settings } from '../../ports/store.ts'
import { FollowedMemory } from './followed-memory.ts'
import type { LogRecord } from './log/numbered-log.ts'
import { type Root, readRoot } from './root.ts'
import type { Connection } from './server/connection.ts'
import type { Shelf } from './server/shelf.ts'
import { readSnapshot, type Snapshot, type SnapshotNote, snapshotNotes } from './snapshots.ts'

export type { Followed } from './followed-memory.ts'

/** What everything of the store stands on. */
export interface Ground {
  /** The collection with the truth. */
  readonly log: Shelf
  readonly connection: Connection
  readonly clock: Clock
  /** For messages. */
  readonly address: string
}

/** So often it is loaded anew while others cut off what it was to be loaded from. */
const MOST_LOADS = 8

export class Replica {
  readonly #ground: Ground
  readonly #welcome: (settings: Settings) => void
  #memory: FollowedMemory | undefined
  #running: Promise<FollowedMemory | undefined> | undefined
  #waiting: Promise<FollowedMemory | undefined> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  /** Then there must be one. */
  #hasLoaded = false

  /** `welcome` throws where the memory was made for other wishes. */
  constructor(ground: Ground, welcome: (settings: Settings) => void) {
    this.#ground = ground
    this.#welcome = welcome
  }

  /** `undefined`: there is no memory yet. */
  catchUp({ signal, askedAtMs = Number.POSITIVE_INFINITY }: CallOptions = {}): Promise<FollowedMemory | undefined> {
    const isSeen = this.#memory !== undefined && this.#lookedAt >= askedAtMs
    return abortable(() => (isSeen ? Promise.resolve(this.#memory) : this.#look()), signal)
  }

  /** As it was last seen. */
  get followed(): FollowedMemory | undefined {
    return this.#memory
  }

  /** What this process itself appended. */
  take(generation: string, record: LogRecord): void {
    if (this.#memory?.generation === generation) this.#memory.take([record])
  }

  /** One look serves all who ask before it begins. */
  #look(): Promise<FollowedMemory | undefined> {
    if (this.#waiting) return this.#waiting
    if (!this.#running) return this.#begin()
    const begin = (): Promise<FollowedMemory | undefined> => {
      this.#waiting = undefined
      return this.#begin()
    }
    this.#waiting = this.#running.then(begin, begin)
    return this.#waiting
  }

  #begin(): Promise<FollowedMemory | undefined> {
    this.#running = this.#comeUpToDate().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #comeUpToDate(): Promise<FollowedMemory | undefined> {
    const begun = performance.now()
    const known = this.#memory
    if (!known || !(await this.#follow(known))) {
      this.#memory = undefined
      this.#memory = await this.#load()
    }
    this.#lookedAt = begun
    return this.#memory
  }

  /** Whether it could be followed. */
  async #follow(memory: FollowedMemory): Promise<boolean> {
    const { position, tag, log, at } = memory
    if (tag === undefined && (await readRoot(this.#ground.log))?.generation !== memory.generation) return false
    const records = tag === undefined ? await log.read(at.position) : await log.follow({ position, tag })
    if (records) memory.take(records)
    return records !== undefined
  }

  async #load(): Promise<FollowedMemory | undefined> {
    await this.#ground.connection.check()
    for (let tries = 0; tries < MOST_LOADS; tries++) {
      const root = await readRoot(this.#ground.log)
      // To read it as empty would be to forget all that was there; and what answers may not be the server.
      if (!root && this.#hasLoaded) throw missingMemory(this.#ground.address)
      if (!root) return undefined
      this.#welcome(root.settings)
      const memory = await this.#loaded(root)
      this.#hasLoaded ||= memory !== undefined
      if (memory) return memory
    }
    throw new DamagedError(
      this.#ground.address,
      'the log of the memory has no beginning, and no snapshot that could be read stands for it',
      'Nothing was changed. Try again; if it stays so, put the data of the server back from a backup.',
    )
  }

  /** `undefined`: what it was loaded from was taken away meanwhile. */
  async #loaded(root: Root): Promise<FollowedMemory | undefined> {
    const { log } = this.#ground
    const snapshot = await newestSnapshot(log, root)
    if (snapshot === 'gone') return undefined
    const memory = new FollowedMemory(log, root, snapshot)
    if (memory.position === root.at.position) {
      const records = await memory.log.read(memory.position)
      if (records) memory.take(records)
      return records && memory
    }
    // With the last one that is in the snapshot: its tag is known by whoever follows.
    const [last, ...records] = (await memory.log.read(memory.position - 1)) ?? []
    if (!last) return undefined
    memory.tag = last.tag
    memory.take(records)
    return memory
  }
}

/** `gone`: the last one was taken away while it was read. `undefined`: there was none, and the log is whole. */
async function newestSnapshot(log: Shelf, { generation }: Root): Promise<Snapshot | 'gone' | undefined> {
  const [folded, bases] = await Promise.all([snapshotNotes(log, generation, 'z'), snapshotNotes(log, generation, 'b')])
  // Also those before the newest base: it may be one that nobody can read, and then the log before it is still there.
  const notes: SnapshotNote[] = [...folded, ...bases].sort((a, b) => b.position - a.position)
  for (const note of notes) {
    const snapshot = await readSnapshot(log, generation, note)
    if (snapshot) return snapshot
  }
  return bases.length > 0 ? 'gone' : undefined
}

/** Where a memory must be, for it was there or was made just now. */
export function missingMemory(address: string): KeepsakeError {
  return new KeepsakeError('IO', `the memory at ${address} is not there any more`, {
    hint: 'Somebody removed it from the server, or put the server back to a time before it. Nothing was written. Open it again to begin a new one.',
  })
}
