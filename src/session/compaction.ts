/**
 * Compaction: the turns up to some exchange are summed up as an archive. First they slide out of the window, as turns always do;
 * then the archive, a change of its own, so that its undo takes back nothing else; then the marker. The archive is the truth and the
 * marker its record: whoever comes after a crash between the two finds the archive by its derived id. Two at once make one archive.
 * One that holds all that was said, for want of a summary, is kept beside the turns and moves nothing.
 */
import { InvalidError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import { opensExchange } from '../model/opens-exchange.ts'
import type { Change } from '../model/operation.ts'
import type { CallOptions } from '../ports/store.ts'
import { type Archived, Archiving, type Making } from './archiving.ts'
import type { SessionPlace } from './place.ts'
import { MARKER_REASONS, type Marker, type MarkerReason, type Turn } from './records.ts'
import type { KnownEcho, Sliding } from './sliding.ts'
import { type SpanOptions, spanOf } from './span.ts'
import { type Summary, summedBy } from './summary.ts'
import type { SessionState, Transcript } from './transcript.ts'

export interface CompactOptions extends CallOptions, SpanOptions {
  readonly summary: Summary
  /** `new`: the session begins anew behind these turns, and the archive is not shown in it. Default `compact`. */
  readonly reason?: MarkerReason
}

export interface Compacted {
  readonly compacted: boolean
  /** Where it was not. */
  readonly why?: 'nothing to compact' | 'the summary is empty' | 'already compacted'
  readonly archive?: Entry
  /** None where the archive is raw and stands for nothing. */
  readonly marker?: Marker
  readonly change?: Change
  /** All that the change touched. */
  readonly entries?: readonly Entry[]
  /** What left the window, as entries. */
  readonly slid?: readonly Entry[]
  readonly warnings: readonly string[]
}

export type InTurn = <T>(takeDown: () => Promise<T>) => Promise<T>

export class Compaction {
  readonly #place: SessionPlace
  readonly #transcript: Transcript
  readonly #sliding: Sliding
  readonly #echo: Pick<KnownEcho, 'fresh'>
  readonly #inTurn: InTurn

  /** `inTurn`: what is read and written stands in the queue of all that is taken down. */
  constructor(
    place: SessionPlace,
    transcript: Transcript,
    sliding: Sliding,
    echo: Pick<KnownEcho, 'fresh'>,
    inTurn: InTurn,
  ) {
    this.#place = place
    this.#transcript = transcript
    this.#sliding = sliding
    this.#echo = echo
    this.#inTurn = inTurn
  }

  async compact({ summary, reason = 'compact', signal, ...options }: CompactOptions): Promise<Compacted> {
    const call = signal ? { signal } : {}
    if (!MARKER_REASONS.includes(reason)) {
      throw new InvalidError('reason', `"${String(reason)}" is none`, MARKER_REASONS.join(', '))
    }
    const state = await this.#inTurn(() => this.#transcript.settled(call))
    const span = spanOf(state.turns, options)
    const last = span.at(-1)
    if (!last) return { compacted: false, why: whyNothing(state), warnings: [] }
    // Outside of the queue: it may take long, and say something itself.
    const summed = await summedBy(summary, state, span, this.#echo, call)
    if (!summed) return { compacted: false, why: 'the summary is empty', warnings: [] }
    const making: Making = { state, span, summed, reason }
    const isFallback = summed.raw === true && reason !== 'new'
    return this.#inTurn(() => (isFallback ? this.#keep(making, call) : this.#replace(making, last, call)))
  }

  /** The turns stay where they are. */
  async #keep(making: Making, call: CallOptions): Promise<Compacted> {
    const made = await this.#archived(making, call)
    return made ? compactedOf(made) : { compacted: false, why: 'already compacted', warnings: [] }
  }

  async #replace(making: Making, last: Turn, call: CallOptions): Promise<Compacted> {
    const before = await this.#sliding.slideThrough(last.id, call)
    const made = await this.#archived(making, call)
    const { marker, turns } = await this.#transcript.settled(call)
    const isInForce = marker?.archiveId === (made?.id ?? making.state.archiveId)
    const orphan = isInForce ? lastBeforeExchanges(turns) : undefined
    const after = orphan ? await this.#sliding.slideThrough(orphan.id, call) : { slid: [], warnings: [] }
    const [slid, warnings] = [
      [...before.slid, ...after.slid],
      [...before.warnings, ...after.warnings],
    ]
    if (!made) return { compacted: false, why: 'already compacted', ...(marker ? { marker } : {}), warnings }
    const compacted = compactedOf(made)
    return {
      ...compacted,
      ...(isInForce && marker ? { marker } : {}),
      slid,
      warnings: [...warnings, ...compacted.warnings, ...(isInForce ? [] : [NOT_IN_FORCE])],
    }
  }

  #archived(making: Making, call: CallOptions): Promise<Archived | undefined> {
    return new Archiving(this.#place, this.#transcript).archive(making, call)
  }
}

function compactedOf({ id, change, entries, warnings }: Archived): Compacted {
  const archive = entries.find((entry) => entry.id === id)
  return {
    compacted: true,
    ...(archive ? { archive } : {}),
    ...(change ? { change } : {}),
    entries,
    slid: [],
    warnings,
  }
}

/** An answer that came while its question was summed up is in no exchange, so in no window. */
function lastBeforeExchanges(turns: readonly Turn[]): Turn | undefined {
  const start = turns.findIndex(opensExchange)
  return turns[(start < 0 ? turns.length : start) - 1]
}

const NOT_IN_FORCE = 'the session was reset, or the archive taken back, meanwhile: it goes on without the archive'

function whyNothing({ marker, turns }: SessionState): NonNullable<Compacted['why']> {
  return turns.length === 0 && marker && marker.reason !== 'new' ? 'already compacted' : 'nothing to compact'
}
