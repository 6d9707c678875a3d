/**
 * What slides out of the window becomes `conversation` entries, so that a search finds it: what users and assistants said, as far
 * as it is their own, for as long as such an entry lives. Their ids are derived from the turns, so that no turn comes twice, and
 * the transcript keeps how far it went, so that one that was forgotten does not come back.
 */
import { isKeepsakeError } from '../errors.ts'
import type { Entry, Origin } from '../model/entry.ts'
import { defaultExpiry, isExpired } from '../model/expiry.ts'
import { oneQuestion } from '../model/one-question.ts'
import type { AddOperation } from '../model/operation.ts'
import { instant } from '../model/time.ts'
import type { CallOptions, SessionRecord } from '../ports/store.ts'
import { conversationId } from './archive.ts'
import type { Captured, Injected } from './echo/injections.ts'
import type { SessionPlace } from './place.ts'
import { isConflict } from './races.ts'
import { slidRecord, type Turn } from './records.ts'
import type { Transcript, Unslid } from './transcript.ts'
import { windowStart } from './window.ts'

/** What a session knows of what it was given. */
export interface KnownEcho {
  /** What of each text is new here, as `Session.fresh` tells it; of a turn, what was new when it was said. */
  fresh(captured: readonly Captured[], options: CallOptions): Promise<readonly (string | undefined)[]>
  keep(given: readonly Injected[], options: CallOptions): Promise<void>
  /** What says so in a transcript, for who appends it with the turn that shows it. */
  recordsOf(given: readonly Injected[], options: CallOptions): Promise<readonly SessionRecord[]>
}

export interface Slid {
  readonly slid: readonly Entry[]
  readonly warnings: readonly string[]
}

export interface Ahead extends Slid {
  readonly records: readonly SessionRecord[]
  /** Whether nothing more is left to slide out once the turns are there. */
  readonly isAll: boolean
}

/** Of a whole imported conversation: a change of a bounded size. */
const MOST_AT_ONCE = 500
const MOST_RACES = 5

export class Sliding {
  readonly #place: SessionPlace
  readonly #transcript: Transcript
  readonly #echo: Pick<KnownEcho, 'fresh'>

  constructor(place: SessionPlace, transcript: Transcript, echo: Pick<KnownEcho, 'fresh'>) {
    this.#place = place
    this.#transcript = transcript
    this.#echo = echo
  }

  /**
   * For turns that are about to be appended: what they push out of the window. That it did is told by the records, which are
   * appended with the turns: so a turn costs no sync of its own for this.
   */
  async ahead(coming: readonly Turn[], size: number, options: CallOptions): Promise<Ahead> {
    const records: SessionRecord[] = []
    let isAll = false
    const { slid, warnings } = await this.#tried(options, async () => {
      const { turns: known, leftBehind } = await this.#transcript.unslid(options)
      const out = outside({ turns: [...known, ...coming], leftBehind }, size)
      const turns = out.slice(0, Math.min(known.length, MOST_AT_ONCE))
      isAll = out.length === turns.length
      const added = await this.#add(turns, options)
      records.push(...this.#recordOf(turns))
      return added
    })
    return { slid, warnings, records, isAll }
  }

  /** What stands before the window now. */
  slideOut(size: number, options: CallOptions): Promise<Slid> {
    return this.#slide((unslid) => outside(unslid, size), options)
  }

  /** All up to this turn, for it is about to leave the window. */
  slideThrough(turn: string, options: CallOptions): Promise<Slid> {
    return this.#slide(({ turns }) => turns.slice(0, turns.findLastIndex(({ id }) => id === turn) + 1), options)
  }

  async #slide(choose: (unslid: Unslid) => readonly Turn[], options: CallOptions): Promise<Slid> {
    const { sessions, agent, key } = this.#place
    return this.#tried(options, async () => {
      const turns = choose(await this.#transcript.unslid(options))
      const done: Slid[] = []
      for (let at = 0; at < turns.length; at += MOST_AT_ONCE) {
        const some = turns.slice(at, at + MOST_AT_ONCE)
        done.push(await this.#add(some, options))
        await sessions.append(agent, key, this.#recordOf(some), options)
      }
      return { slid: done.flatMap(({ slid }) => slid), warnings: done.flatMap(({ warnings }) => warnings) }
    })
  }

  /** Never fails for what it does: a conversation goes on without it. */
  async #tried(options: CallOptions, slide: () => Promise<Slid>): Promise<Slid> {
    try {
      return await slide()
    } catch (error) {
      if (!isKeepsakeError(error) && !options.signal?.aborted) throw error
      const reason = error instanceof Error ? error.message : String(error)
      const warning = `what slid out of the window is not in the memory yet; the next turn tries again: ${reason}`
      return { slid: [], warnings: [warning] }
    }
  }

  #recordOf(turns: readonly Turn[]): SessionRecord[] {
    const last = turns.at(-1)
    return last ? [slidRecord(instant(this.#place.clock()), last.id)] : []
  }

  async #missing(turns: readonly Turn[], options: CallOptions): Promise<AddOperation[]> {
    const missing: AddOperation[] = []
    const additions = await this.#additions(turns, options)
    const call = oneQuestion(options)
    for (const addition of additions) {
      if ((await this.#place.store.get(addition.id, call)) === undefined) missing.push(addition)
    }
    return missing
  }

  async #add(turns: readonly Turn[], options: CallOptions): Promise<Slid> {
    const { key, apply } = this.#place
    let operations: AddOperation[] = await this.#additions(turns, options)
    for (let races = 0; ; races++) {
      if (operations.length === 0) return { slid: [], warnings: [] }
      try {
        // Nobody did this: whoever takes back their own last change does not mean it.
        const origin: Origin = { by: 'consolidation', session: key }
        const { entries, warnings } = await apply({ operations, origin }, options)
        return { slid: entries, warnings }
      } catch (error) {
        if (!isConflict(error) || races >= MOST_RACES) throw error
        operations = await this.#missing(turns, options)
      }
    }
  }

  async #additions(turns: readonly Turn[], options: CallOptions): Promise<(AddOperation & { readonly id: string })[]> {
    const { agent, key, clock } = this.#place
    const now = instant(clock())
    const said = turns.filter((turn) => isSaid(turn) && !isExpired({ expiresAt: expiryOf(turn) }, now))
    const texts = await this.#echo.fresh(
      said.map(({ id, content }) => ({ text: content, turn: id })),
      options,
    )
    return said.flatMap((turn, index) => {
      const fresh = texts[index]
      if (fresh === undefined) return []
      // A block that was taken out leaves the blank line that parted it from what was said.
      const content = fresh === turn.content ? fresh : fresh.replace(/^\s*\n/, '')
      return [
        {
          op: 'add',
          scope: agent,
          kind: 'conversation',
          id: conversationId(agent, key, turn.id),
          content,
          metadata: { role: turn.role },
          createdAt: turn.at,
          origin: { by: 'agent', agent, session: key },
        } as const,
      ]
    })
  }
}

/** Turns that stand before the window. Where no user has said anything yet, the conversation has not begun. */
function outside({ turns, leftBehind }: Unslid, size: number): readonly Turn[] {
  const behind = turns.findLastIndex(({ id }) => id === leftBehind) + 1
  const rest = turns.slice(behind)
  const start = windowStart(rest, size)
  return turns.slice(0, behind + (size > 0 && start === rest.length ? 0 : start))
}

/** A hand may have put into a transcript what no entry can hold. */
function isSaid({ role, content }: Turn): boolean {
  return (role === 'user' || role === 'assistant') && content.isWellFormed() && !content.includes('\0')
}

/** A life in days does not ask for a zone. */
function expiryOf({ at }: Turn): string | null {
  return defaultExpiry('conversation', at, 'UTC')
}
