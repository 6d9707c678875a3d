/**
 * What was injected in a session, as the fingerprints that its transcript keeps: so that every process, and the same one after
 * a restart, knows an echo. Only what was appended since the last look is read. What was said before it was injected is no echo of
 * it: a memory of what somebody has said is often made of these very words. Both tell what was before: where it stands in the
 * transcript, and its time, for the turns of another program's transcript come in when all has been injected.
 */
import { isKeepsakeError } from '../../errors.ts'
import { instant, parseInstant } from '../../model/time.ts'
import type { CallOptions, SessionRecord } from '../../ports/store.ts'
import type { TranscriptPlace } from '../place.ts'
import type { Prints } from './coverage.ts'
import { fingerprintsOf } from './fingerprints.ts'
import { newPart } from './new-part.ts'

const RECORD = 'injected'

/** `turn`: the id of the turn that says it, where it is one of the transcript. */
export interface Captured {
  readonly text: string
  readonly turn?: string
}

/** A text that a model was given. */
export interface Injected {
  readonly text: string
  /** Default: now. */
  readonly at?: string
}

/** `place`: how many injections were made before it, and itself. */
interface Injection {
  readonly place: number
  readonly at: string
}

/** `place`: how many injections stand before it. */
interface Said {
  readonly place: number
  readonly at: string
  readonly isImportedPrompt: boolean
}

export class Injections {
  readonly #transcript: TranscriptPlace
  /** With the injections that they came with: the first, and those behind it that were made earlier. */
  readonly #prints = new Map<number, readonly Injection[]>()
  readonly #said = new Map<string, Said>()
  #made = 0
  /** Known in this process only: they could not be appended yet. */
  #unkept: SessionRecord[] = []
  /** What was given last: most of it is given again with the next turn, and need not be worked out anew. */
  #last: readonly string[] = []
  #next = 0

  constructor(transcript: TranscriptPlace) {
    this.#transcript = transcript
  }

  /** Whether another process, or another object of this session, would take some of what was given for new. */
  get hasUnkept(): boolean {
    return this.#unkept.length > 0
  }

  /**
   * Before the text is handed out, so that nobody can bring it back unknown. Where the transcript can't be read or written, be it
   * that the folder is read-only or the disk full, what was found is still worth having: this process knows it, and tries again.
   */
  async keep(given: readonly Injected[], options: CallOptions): Promise<void> {
    await this.#catchUp(options).catch(onlyOurs)
    const { sessions, agent, key } = this.#transcript
    const others = given.filter(({ text, at }) => at !== undefined || !this.#last.includes(text))
    for (const record of this.#recordsOf(others)) {
      this.#take(record)
      this.#unkept.push(record)
    }
    this.#last = given.map(({ text }) => text)
    if (this.#unkept.length === 0) return
    const records = this.#unkept
    this.#unkept = []
    try {
      await sessions.append(agent, key, records, options)
    } catch (error) {
      this.#unkept.unshift(...records)
      onlyOurs(error)
    }
  }

  /** The records that say so, for who appends them with the turn that shows it. */
  async recordsOf(given: readonly Injected[], options: CallOptions): Promise<readonly SessionRecord[]> {
    await this.#catchUp(options)
    return this.#recordsOf(given)
  }

  /** What of each captured text was not injected; `undefined` where that says nothing. */
  async newIn(captured: readonly Captured[], options: CallOptions): Promise<(string | undefined)[]> {
    await this.#catchUp(options)
    return captured.map(({ text, turn }) => (this.#prints.size > 0 ? newPart(text, this.#printsBefore(turn)) : text))
  }

  #printsBefore(turn: string | undefined): Prints {
    const said = turn === undefined ? undefined : this.#said.get(turn)
    if (!said) return this.#prints
    return { has: (print) => this.#prints.get(print)?.some((injection) => isBefore(injection, said)) ?? false }
  }

  /** One for each time, with the prints that are not known to have been injected by then. */
  #recordsOf(given: readonly Injected[]): SessionRecord[] {
    const now = instant(this.#transcript.clock())
    const byTime = new Map<string, Set<number>>()
    for (const { text, at = now } of given) {
      const prints = byTime.get(at) ?? new Set()
      for (const print of fingerprintsOf(text)) if (!this.#isKnown(print, at)) prints.add(print)
      byTime.set(at, prints)
    }
    return [...byTime].flatMap(([at, prints]) => (prints.size > 0 ? [{ type: RECORD, at, prints: [...prints] }] : []))
  }

  #isKnown(print: number, at: string): boolean {
    return this.#prints.get(print)?.some((injection) => injection.at <= at) ?? false
  }

  async #catchUp(options: CallOptions): Promise<void> {
    const { sessions, agent, key } = this.#transcript
    const page = await sessions.read(agent, key, this.#next, options)
    if (!page) return
    for (const record of page.records) this.#take(record)
    this.#next = page.next
  }

  #take(record: SessionRecord): void {
    const { type, id, role, imported } = record
    const at = parseInstant(record['at'])
    // A line that a hand has copied is the turn that it was.
    if (type === 'turn' && typeof id === 'string' && at !== undefined && !this.#said.has(id)) {
      this.#said.set(id, { place: this.#made, at, isImportedPrompt: role === 'user' && imported === true })
    }
    const prints = printsIn(record)
    if (prints.length === 0) return
    this.#made++
    const injection = { place: this.#made, at: at ?? '' }
    const alone = [injection]
    for (const print of prints) {
      if (this.#isKnown(print, injection.at)) continue
      const known = this.#prints.get(print)
      this.#prints.set(print, known ? [...known, injection] : alone)
    }
  }
}

/** At the same time: what is found for a prompt is found when it is there, and what is answered is answered with what was found. */
function isBefore(injection: Injection, { place, at, isImportedPrompt }: Said): boolean {
  return injection.place <= place && (isImportedPrompt ? injection.at < at : injection.at <= at)
}

function onlyOurs(error: unknown): void {
  if (!isKeepsakeError(error)) throw error
}

/** A transcript is a file that anybody may have written to. */
function printsIn({ type, prints }: SessionRecord): number[] {
  if (type !== RECORD || !Array.isArray(prints)) return []
  return prints.filter((print) => typeof print === 'number')
}
