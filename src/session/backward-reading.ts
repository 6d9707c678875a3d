/** A transcript read page by page from its end, no further than is asked for. Where a purge rewrote it on the way, it begins anew. */
import type { CallOptions, SessionTail } from '../ports/store.ts'
import { type BrokenLine, brokenRecords } from './broken-records.ts'
import type { TranscriptPlace } from './place.ts'
import { parseRecords } from './records.ts'
import { Replay } from './replay.ts'

export class BackwardReading {
  readonly #place: TranscriptPlace
  readonly #options: CallOptions
  #page: SessionTail | undefined
  #broken: readonly BrokenLine[] = []
  replay: Replay = new Replay()
  /** Where the transcript ended when it was read first. */
  end = 0

  constructor(place: TranscriptPlace, options: CallOptions) {
    this.#place = place
    this.#options = options
  }

  get isWhole(): boolean {
    return this.#page?.start === 0
  }

  get createdAt(): string | null {
    const at = this.#page?.meta['createdAt']
    return typeof at === 'string' ? at : null
  }

  get broken(): readonly BrokenLine[] {
    return this.#broken
  }

  /** `undefined` where there is no such session. */
  async until<T>(done: (replay: Replay, isWhole: boolean) => T | undefined): Promise<T | undefined> {
    if (!this.#page && !(await this.#readOn())) return undefined
    for (;;) {
      const found = done(this.replay, this.isWhole)
      if (found !== undefined) return found
      if (this.isWhole || !(await this.#readOn())) return undefined
    }
  }

  async #readOn(): Promise<boolean> {
    const { sessions, agent, key } = this.#place
    const page = await sessions.readBefore(agent, key, this.#page?.start, this.#options)
    if (!page) return false
    if (!this.#page || page.restarted) {
      this.replay = new Replay()
      this.#broken = []
      this.end = page.next
    }
    this.replay.putBefore(parseRecords(page.records))
    // What is wrong with the first line is told with every page.
    const told = new Set(page.broken.map(({ line }) => line))
    const others = this.#broken.filter(({ line }) => line === undefined || !told.has(line))
    this.#broken = [...page.broken, ...brokenRecords(page.records), ...others]
    this.#page = page
    return true
  }
}
