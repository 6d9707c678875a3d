/**
 * Appending to transcripts on the server. An append is planned behind the last piece that is there; where another machine was faster it is
 * planned again, so both get in, unless it expects an end. Those of this process wait for each other, session by session.
 * Kept in RAM is only where each transcript was last seen to end, which saves looking for it: pieces are never taken away.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { SessionConflictError } from '../../../errors.ts'
import { instant } from '../../../model/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CallOptions, SessionAppended, SessionAppendOptions, SessionRecord } from '../../../ports/store.ts'
import type { SessionId } from '../../disk/kept-session.ts'
import type { MemoryGround } from '../memory-place.ts'
import { type FirstLine, readFirstLine } from './session-first-line.ts'
import { isUnended, type Piece, SessionLog, sessionHash } from './session-log.ts'
import { positionAt } from './session-reading.ts'

const LINE_END = Buffer.from('\n')
/** Before who was late tries again, so that those who met at one transcript do not meet once more. */
const FIRST_WAIT_MS = 10
const LONGEST_WAIT_MS = 500

/** How a transcript ends. */
interface End {
  readonly number: number
  readonly last: Piece | undefined
  readonly first: FirstLine | undefined
}

export class SessionAppender {
  readonly #ground: MemoryGround
  readonly #clock: Clock
  readonly #ends = new Map<string, number>()
  /** The last append of each session that is under way. */
  readonly #running = new Map<string, Promise<unknown>>()

  constructor(ground: MemoryGround, clock: Clock) {
    this.#ground = ground
    this.#clock = clock
  }

  append(id: SessionId, records: readonly SessionRecord[], options: SessionAppendOptions): Promise<SessionAppended> {
    return this.#inTurn(sessionHash(id), async () => {
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
        const appended = await this.#try(id, records, options)
        if (appended) return appended
        await sleep(waitMs * Math.random())
      }
    })
  }

  /** Where it was last seen to end, 0 when it never was. */
  endSeen(session: SessionLog): number {
    return this.#ends.get(session.prefix) ?? 0
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  async #inTurn<T>(session: string, work: () => Promise<T>): Promise<T> {
    const before = this.#running.get(session) ?? Promise.resolve()
    const result = before.then(work)
    const done = result.then(
      () => undefined,
      () => undefined, // whoever waits for the result is told
    )
    this.#running.set(session, done)
    try {
      return await result
    } finally {
      if (this.#running.get(session) === done) this.#running.delete(session)
    }
  }

  /** `undefined`: another one has the number that was next. */
  async #try(
    id: SessionId,
    records: readonly SessionRecord[],
    { expectEnd, ...options }: SessionAppendOptions,
  ): Promise<SessionAppended | undefined> {
    const { generation } = await this.#ground.make(options)
    const session = new SessionLog(this.#ground.log, generation, id)
    const end = await this.#ended(session, await this.#endOf(session, options), options)
    if (!end) return undefined
    const { number, first } = end
    const position = first ? positionAt(first, number) : 0
    if (expectEnd !== undefined && expectEnd !== position) throw new SessionConflictError(id.key, expectEnd, position)
    const meta = first ? '' : `${JSON.stringify({ key: id.key, createdAt: instant(this.#clock()) })}\n`
    const line = JSON.stringify(records.length === 1 ? records[0] : records)
    if (!(await session.append(number + 1, Buffer.from(`${meta}${line}\n`), options))) return undefined
    this.#ends.set(session.prefix, number + 1)
    return { end: positionAt(first, number + 1) }
  }

  async #endOf(session: SessionLog, options: CallOptions): Promise<End> {
    const known = this.endSeen(session) || (await session.end(0, options))
    if (known === 0) return { number: 0, last: undefined, first: undefined }
    const [pieces, first] = await Promise.all([session.pieces(known - 1, options), readFirstLine(session, options)])
    const last = pieces.at(-1)
    const number = last?.number ?? 0
    this.#ends.set(session.prefix, number)
    return { number, last, first }
  }

  /** A last line without its end can only have come with a move. It is kept to the byte: it is ended, and counts from then on. */
  async #ended(session: SessionLog, end: End, options: CallOptions): Promise<End | undefined> {
    if (!end.last || !isUnended(end.last)) return end
    return (await session.append(end.number + 1, LINE_END, options)) ? this.#endOf(session, options) : undefined
  }
}
