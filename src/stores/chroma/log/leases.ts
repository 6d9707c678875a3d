/**
 * Leases on the server, for work that one process at a time should do. Each is a numbered log of who had it: the next one is added when the
 * last was given back or has run out, so two can't take it at once. Whoever has it says now and then that it goes on.
 * Times are the server's, because clocks of machines differ. A holder that stood still for long may have lost it unnoticed: before what
 * would harm another's work it asks. Between that answer and its next request it may stand still once more, so nothing that must be right
 * depends on a lease alone.
 */
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import type { Lease } from '../../../ports/store.ts'
import { safeFileName } from '../../disk/safe-file-name.ts'
import { sha256Hex } from '../../disk/sha256.ts'
import type { Shelf } from '../server/shelf.ts'
import { isUnknown } from '../server/unknown-outcome.ts'
import { idAt, type KnownRecord, type LogPlace } from './log-record.ts'
import { NumberedLog } from './numbered-log.ts'

export interface ConfirmedLease extends Lease {
  /** An error where another one has it by now, or may. */
  confirm(): Promise<void>
  /** It is not renewed any more, and runs out. */
  lapse(): void
}

/** `instead`: what is done where it is lost, before that is told. */
export async function confirmOr(lease: ConfirmedLease, instead: () => Promise<void>): Promise<void> {
  try {
    await lease.confirm()
  } catch (error) {
    await instead()
    throw error
  }
}

/**
 * Gives it back when the work is through. Where a request was given up that may still be done, nobody else is to begin before that: then it
 * runs out.
 */
export async function holding<T>(lease: ConfirmedLease, work: () => Promise<T>): Promise<T> {
  let done: T
  try {
    done = await work()
  } catch (error) {
    if (isUnknown(error) || !isKeepsakeError(error)) lease.lapse()
    else await lease.release()
    throw error
  }
  await lease.release()
  return done
}

export interface ChromaLeases {
  lease(name: string): Promise<ConfirmedLease | undefined>
  /** What is still held is given back. Where that fails, it runs out. */
  close(): Promise<void>
}

interface Holding {
  /** Milliseconds since 1970, by the server's clock. */
  readonly until: number
  readonly released?: true
}

const LASTS_MS = 60_000
const RENEW_MS = 20_000
/** Nobody holds one for longer: the server's clock was set back since. */
const BELIEVED_MS = 2 * LASTS_MS
/** Of those before. None would do; but whoever looked long ago and adds only now shall find its number taken. */
const KEPT = 8
const HASH_DIGITS = 16

/** `generation`: of the memory, which is made where there is none. `time`: the server's. */
export function chromaLeases(
  shelf: Shelf,
  generation: () => Promise<string>,
  time: () => Promise<number>,
): ChromaLeases {
  const held = new Set<HeldLease>()
  return {
    async lease(name) {
      const place = placeOf(await generation(), name)
      const log = new NumberedLog(shelf, place)
      const [before, nowMs] = await Promise.all([positionsOf(shelf, place), time()])
      const last = Math.max(0, ...before)
      if (last > 0 && (await isHeld(log, last, nowMs))) return undefined
      const own = { position: last + 1, tag: crypto.randomUUID() }
      const until = nowMs + LASTS_MS
      if ((await log.append(own.position, textOf({ until }), { tag: own.tag })) === 'lost') return undefined
      const lease = new HeldLease({ name, log, own, until }, time, () => held.delete(lease))
      held.add(lease)
      const old = before.filter((position) => position < last - KEPT)
      await remove(shelf, place, old)
      return lease
    },
    async close() {
      await Promise.all([...held].map((lease) => lease.release()))
    },
  }
}

interface Taken extends Holding {
  readonly name: string
  readonly log: NumberedLog
  readonly own: KnownRecord
}

class HeldLease implements ConfirmedLease {
  readonly #name: string
  readonly #log: NumberedLog
  readonly #own: KnownRecord
  readonly #time: () => Promise<number>
  readonly #ended: () => void
  readonly #timer: NodeJS.Timeout
  #until: number
  #writing: Promise<void> = Promise.resolve()

  constructor({ name, log, own, until }: Taken, time: () => Promise<number>, ended: () => void) {
    this.#name = name
    this.#log = log
    this.#own = own
    this.#until = until
    this.#time = time
    this.#ended = ended
    this.#timer = setInterval(() => this.#inTurn(() => this.#renew()), RENEW_MS).unref()
  }

  async confirm(): Promise<void> {
    const [after, nowMs] = await Promise.all([this.#log.follow(this.#own), this.#time()])
    if (after?.length !== 0 || nowMs >= this.#until) throw lostLease(this.#name)
  }

  lapse(): void {
    this.#stop()
  }

  release(): Promise<void> {
    this.#stop()
    return this.#inTurn(() => this.#say({ until: 0, released: true }))
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#ended()
  }

  /** A renewal that is under way never comes after the release. What fails is no harm: it is renewed again, or runs out. */
  #inTurn(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write).catch((error: unknown) => {
      if (!isKeepsakeError(error)) throw error
    })
    return this.#writing
  }

  async #renew(): Promise<void> {
    const after = await this.#log.follow(this.#own)
    if (after?.length !== 0) return this.#stop()
    const until = (await this.#time()) + LASTS_MS
    await this.#say({ until })
    this.#until = until
  }

  #say(holding: Holding): Promise<void> {
    return this.#log.rewrite({ ...this.#own, text: '' }, textOf(holding))
  }
}

function lostLease(name: string): KeepsakeError {
  return new KeepsakeError('LOCKED', `this program stood still for so long that another may do its work ("${name}")`, {
    hint: 'Nothing more was done. Try again.',
  })
}

function placeOf(generation: string, name: string): LogPlace {
  const lease = safeFileName(name, 'lease')
  const hash = sha256Hex(name).slice(0, HASH_DIGITS)
  return { generation, kind: 'l', prefix: `${generation}/l/${hash}/`, labels: { lease } }
}

async function isHeld(log: NumberedLog, position: number, nowMs: number): Promise<boolean> {
  const [record] = (await log.read(position - 1, { most: 1 })) ?? []
  if (!record) return false
  const { until, released } = JSON.parse(record.text) as Holding // as textOf wrote it
  return !released && until > nowMs && until <= nowMs + BELIEVED_MS
}

async function remove(shelf: Shelf, place: LogPlace, positions: readonly number[]): Promise<void> {
  try {
    if (positions.length > 0) await shelf.remove(positions.map((position) => idAt(place, position)))
  } catch (error) {
    if (!isKeepsakeError(error)) throw error // who has it next removes them
  }
}

/** By its labels, for old ones are removed: from the beginning its end could not be found. */
async function positionsOf(shelf: Shelf, { generation, kind, prefix, labels }: LogPlace): Promise<readonly number[]> {
  const ids = await shelf.findIds({ g: generation, kind, ...labels })
  return ids.map((id) => Number(id.slice(prefix.length)))
}

function textOf(holding: Holding): string {
  return JSON.stringify(holding)
}
