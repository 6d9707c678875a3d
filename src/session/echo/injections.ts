/**
 * What was injected in a session, as the fingerprints that its transcript keeps: so that every process, and the same one after
 * a restart, knows an echo. Only what was appended since the last look is read. What stands in the transcript before it was
 * injected is no echo of it: a memory of what somebody has said is often made of these very words.
 */
import { isKeepsakeError } from '../../errors.ts'
import { instant } from '../../model/time.ts'
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

export class Injections {
  readonly #transcript: TranscriptPlace
  /** With how many injections were made when it first came, itself included. */
  readonly #prints = new Map<number, number>()
  /** How many were made before each turn. */
  readonly #before = new Map<string, number>()
  #made = 0
  /** Known in this process only: they could not be appended yet. */
  readonly #unkept = new Set<number>()
  /** What was given last: most of it is given again with the next turn, and need not be worked out anew. */
  #last: readonly string[] = []
  #next = 0

  constructor(transcript: TranscriptPlace) {
    this.#transcript = transcript
  }

  /** Whether another process, or another object of this session, would take some of what was given for new. */
  get hasUnkept(): boolean {
    return this.#unkept.size > 0
  }

  /**
   * Before the text is handed out, so that nobody can bring it back unknown. Where the transcript can't be read or written, be it
   * that the folder is read-only or the disk full, what was found is still worth having: this process knows it, and tries again.
   */
  async keep(texts: readonly string[], options: CallOptions): Promise<void> {
    await this.#catchUp(options).catch(onlyOurs)
    const others = texts.filter((text) => !this.#last.includes(text))
    this.#last = texts
    this.#made++
    for (const print of others.flatMap(fingerprintsOf)) {
      if (this.#prints.has(print)) continue
      this.#prints.set(print, this.#made)
      this.#unkept.add(print)
    }
    if (this.#unkept.size === 0) return
    const { sessions, agent, key, clock } = this.#transcript
    const prints = [...this.#unkept]
    this.#unkept.clear()
    try {
      await sessions.append(agent, key, [{ type: RECORD, at: instant(clock()), prints }], options)
    } catch (error) {
      for (const print of prints) this.#unkept.add(print)
      onlyOurs(error)
    }
  }

  /** What of each captured text was not injected; `undefined` where that says nothing. */
  async newIn(captured: readonly Captured[], options: CallOptions): Promise<(string | undefined)[]> {
    await this.#catchUp(options)
    return captured.map(({ text, turn }) => (this.#prints.size > 0 ? newPart(text, this.#printsBefore(turn)) : text))
  }

  #printsBefore(turn: string | undefined): Prints {
    const made = (turn === undefined ? undefined : this.#before.get(turn)) ?? Number.POSITIVE_INFINITY
    return { has: (print) => (this.#prints.get(print) ?? Number.NaN) <= made }
  }

  async #catchUp(options: CallOptions): Promise<void> {
    const { sessions, agent, key } = this.#transcript
    const page = await sessions.read(agent, key, this.#next, options)
    if (!page) return
    for (const record of page.records) this.#take(record)
    this.#next = page.next
  }

  #take(record: SessionRecord): void {
    const { type, id } = record
    // A line that a hand has copied is the turn that it was.
    if (type === 'turn' && typeof id === 'string' && !this.#before.has(id)) this.#before.set(id, this.#made)
    const prints = printsIn(record)
    if (prints.length > 0) this.#made++
    for (const print of prints) if (!this.#prints.has(print)) this.#prints.set(print, this.#made)
  }
}

function onlyOurs(error: unknown): void {
  if (!isKeepsakeError(error)) throw error
}

/** A transcript is a file that anybody may have written to. */
function printsIn({ type, prints }: SessionRecord): number[] {
  if (type !== RECORD || !Array.isArray(prints)) return []
  return prints.filter((print) => typeof print === 'number')
}
