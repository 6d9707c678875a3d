/**
 * Keeps the way to the present short: when the log behind the newest snapshot has grown long, somebody who writes makes a new snapshot, and
 * cuts off what is older than the memory wants to keep. Behind the answer: no write waits for it, and one that fails is tried again when
 * there is more to fold. The lease keeps two from doing the same.
 */
import { isKeepsakeError } from '../../errors.ts'
import type { FollowedMemory } from './followed-memory.ts'
import { type ConfirmedLease, holding } from './log/leases.ts'
import type { Ground, Replica } from './replica.ts'
import { cutOldPast } from './retention.ts'
import { removeSnapshots, type SnapshotNote, snapshotNotes, writeSnapshot } from './snapshots.ts'

type TakeLease = (name: string) => Promise<ConfirmedLease | undefined>

const LEAST_RECORDS = 200
/** The log may be as long as this part of the entries before it is folded. */
const PART = 4

export class Folding {
  readonly #ground: Ground
  readonly #replica: Replica
  readonly #lease: TakeLease
  #running: Promise<void> | undefined
  /** Not before the log is as long as this: what failed, or is another's work, is not tried with every write. */
  #from = 0

  constructor(ground: Ground, replica: Replica, lease: TakeLease) {
    this.#ground = ground
    this.#replica = replica
    this.#lease = lease
  }

  /** Begins where it is due. */
  consider(): void {
    const memory = this.#replica.followed
    if (!memory || this.#running) return
    const length = memory.position - memory.foldedTo
    if (!isDue(memory, length) || length < this.#from) return
    this.#from = 2 * length
    const running = this.#foldAlone().then(
      () => {
        this.#running = undefined
      },
      (error: unknown) => {
        // What was acknowledged is in the log as it is. A bug is for who closes the store, and nothing is folded any more.
        if (!isKeepsakeError(error)) throw error
        this.#running = undefined
      },
    )
    running.catch(() => undefined)
    this.#running = running
  }

  async idle(): Promise<void> {
    await this.#running
  }

  async #foldAlone(): Promise<void> {
    const lease = await this.#lease('fold')
    if (!lease) return
    await holding(lease, () => this.#fold(lease))
    this.#from = 0
  }

  async #fold(lease: ConfirmedLease): Promise<void> {
    const { log } = this.#ground
    const memory = await this.#replica.catchUp()
    if (!memory) return
    const before = await snapshotNotes(log, memory.generation, 'z')
    const newest = before[0]?.position ?? memory.at.position
    if (isDue(memory, memory.position - newest)) await this.#snapshot(memory, before)
    // Another one was faster.
    else memory.foldedTo = newest
    await cutOldPast(this.#ground, this.#replica, lease)
  }

  async #snapshot(memory: FollowedMemory, before: readonly SnapshotNote[]): Promise<void> {
    const { log } = this.#ground
    const { generation, position, number, nextSeq, epoch } = memory
    const entries = memory.state.scan({})
    const note = await writeSnapshot(log, generation, 'z', { position, number, nextSeq, epoch, entries })
    const now = await this.#replica.catchUp()
    // A purge came meanwhile, and may have looked for snapshots before this one was there.
    if (now?.generation !== generation || now.epoch !== epoch) return removeSnapshots(log, generation, [note])
    now.foldedTo = position
    await removeSnapshots(
      log,
      generation,
      before.filter((old) => old.position < position),
    )
  }
}

function isDue({ state }: FollowedMemory, length: number): boolean {
  return length > Math.max(LEAST_RECORDS, state.size / PART)
}
