/**
 * One move into a server at a time, and nothing left of those that were cut short. A record outside of every generation, `adopting`,
 * says who is at it, which generation it writes, and which ones earlier tries have left. It guards against double work; that
 * only one memory comes of two tries is up to the root.
 * Invariant: a generation that is not the root's is removed only while it can't become the root's any more, which is when another's is in
 * place, or when nobody has tried to make it the root's. So a request that comes late finds everything that it counts on.
 */
import { KeepsakeError } from '../../../errors.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { describeOwner, formatOwner, isProvablyDead, parseOwner, thisProcess } from '../../disk/owner.ts'
import type { Connection } from '../server/connection.ts'
import type { Shelf } from '../server/shelf.ts'

const ID = 'adopting'
const FOR_MS = 60_000
const RENEW_MS = 20_000
/** Nobody says that it takes longer: the server's clock was set back since. */
const BELIEVED_MS = 2 * FOR_MS

interface Note {
  /** `formatOwner`. */
  readonly by: string
  /** Milliseconds since 1970, by the server's clock: those of machines differ. */
  readonly until: number
  readonly generation: string
  /** Of tries before this one. */
  readonly leftOver: readonly string[]
}

/** Moves that this process is at: what it has given up is as good as a dead one's. */
const running = new Set<string>()

export interface MoveGround {
  readonly log: Shelf
  readonly connection: Pick<Connection, 'time'>
  /** For messages. */
  readonly address: string
}

export class MovingIn {
  readonly #ground: MoveGround
  readonly #timer: NodeJS.Timeout
  #note: Note
  #renewal: Promise<void> = Promise.resolve()
  #lostTo: { readonly note: Note; readonly nowMs: number } | undefined

  /** LOCKED while another one is at it. */
  static async begin(ground: MoveGround, generation: string, options: CallOptions): Promise<MovingIn> {
    const { log, connection, address } = ground
    const [before, nowMs] = await Promise.all([readNote(log, options), connection.time(options)])
    if (before && !isOver(before, nowMs)) throw lockedBy(before, address, nowMs)
    const leftOver = before ? [...before.leftOver, before.generation] : []
    const note = { by: formatOwner(thisProcess()), until: nowMs + FOR_MS, generation, leftOver }
    if (before) await log.put([recordOf(note)], options)
    else await log.add([recordOf(note)], options)
    const now = await readNote(log, options)
    if (now?.generation !== generation) throw lockedBy(now ?? note, address, nowMs)
    return new MovingIn(ground, note)
  }

  private constructor(ground: MoveGround, note: Note) {
    this.#ground = ground
    this.#note = note
    running.add(note.generation)
    this.#timer = setInterval(() => {
      this.#renewal = this.#renew()
    }, RENEW_MS)
    this.#timer.unref()
  }

  /** Throws once another one has taken over, as happens to who was asleep for long. */
  check(): void {
    if (this.#lostTo) throw lockedBy(this.#lostTo.note, this.#ground.address, this.#lostTo.nowMs)
  }

  /** This generation is the memory, so that no other can be. */
  async won(options: CallOptions): Promise<void> {
    await this.#stop()
    await clear(this.#ground.log, this.#note.leftOver, options)
    if (!this.#lostTo) await this.#ground.log.remove([ID], options)
  }

  /** Nobody has tried to make it the root's, or it was tried and another's is in place. */
  async gaveUp(): Promise<void> {
    await this.#stop()
    const { log } = this.#ground
    await clear(log, [this.#note.generation], {})
    if (this.#lostTo) return
    const [generation, ...leftOver] = this.#note.leftOver
    if (generation === undefined) await log.remove([ID])
    else await log.put([recordOf({ ...this.#note, until: 0, generation, leftOver })])
  }

  /** Whether it is the root's nobody knows: it is left to who comes next. */
  async leave(): Promise<void> {
    await this.#stop()
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewal
    running.delete(this.#note.generation)
  }

  async #renew(): Promise<void> {
    const { log, connection } = this.#ground
    try {
      const [now, nowMs] = await Promise.all([readNote(log, {}), connection.time()])
      if (now && now.generation !== this.#note.generation) {
        this.#lostTo = { note: now, nowMs }
        return
      }
      this.#note = { ...this.#note, until: nowMs + FOR_MS }
      await log.put([recordOf(this.#note)])
    } catch {
      // The next one may get through; and what is written meanwhile fails by itself.
    }
  }
}

/** What tries that were cut short have left beside the memory of this generation. Those that somebody is at end by themselves. */
export async function clearLeftOvers(
  ground: Pick<MoveGround, 'log' | 'connection'>,
  generation: string,
  options: CallOptions = {},
): Promise<void> {
  const { log } = ground
  const note = await noteOfNobody(ground, options)
  if (!note) return
  const others = [note.generation, ...note.leftOver].filter((one) => one !== generation)
  await clear(log, others, options)
  await log.remove([ID], options)
}

/** How many of those tries there are, beside the memory of this generation. */
export async function leftOverMoves(
  ground: Pick<MoveGround, 'log' | 'connection'>,
  generation: string | undefined,
  options: CallOptions = {},
): Promise<number> {
  const note = await noteOfNobody(ground, options)
  return note === undefined ? 0 : [note.generation, ...note.leftOver].filter((one) => one !== generation).length
}

/** Of tries that nobody is at any more. */
async function noteOfNobody(
  { log, connection }: Pick<MoveGround, 'log' | 'connection'>,
  options: CallOptions,
): Promise<Note | undefined> {
  const note = await readNote(log, options)
  return note && isOver(note, await connection.time(options)) ? note : undefined
}

/** Every record of them. */
async function clear(log: Shelf, generations: readonly string[], options: CallOptions): Promise<void> {
  for (const g of generations) {
    const ids = await log.findIds({ g }, options)
    if (ids.length > 0) await log.remove(ids, options)
  }
}

async function readNote(log: Shelf, options: CallOptions): Promise<Note | undefined> {
  const record = (await log.get([ID], options)).get(ID)
  return record && (JSON.parse(record.text) as Note) // nobody else writes it
}

function recordOf(note: Note): { id: string; text: string; labels: { kind: string } } {
  return { id: ID, text: JSON.stringify(note), labels: { kind: ID } }
}

function isOver({ by, until, generation }: Note, nowMs: number): boolean {
  if (until <= nowMs || until > nowMs + BELIEVED_MS) return true
  if (by === formatOwner(thisProcess())) return !running.has(generation)
  const owner = parseOwner(by)
  return owner !== undefined && isProvablyDead(owner)
}

function lockedBy({ by, until }: Note, address: string, nowMs: number): KeepsakeError {
  const owner = parseOwner(by)
  const who = owner ? describeOwner(owner) : 'another program'
  const seconds = Math.max(1, Math.ceil((until - nowMs) / 1000))
  return new KeepsakeError('LOCKED', `${who} is moving a memory to ${address}`, {
    hint: `Nothing was changed. Wait until it is done; if it was stopped, its place is free in ${seconds} s.`,
    data: { address, owner: who, seconds },
  })
}
