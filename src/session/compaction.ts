/**
 * Compaction: the turns up to some exchange are summed up as an archive. First they slide out of the window, as turns always do;
 * then the archive, a change of its own, so that its undo takes back nothing else; then the marker. The archive is the truth and the
 * marker its record: whoever comes after a crash between the two finds the archive by its derived id. Two at once make one archive.
 */
import { InvalidError, isKeepsakeError } from '../errors.ts'
import { normalizeText } from '../model/content.ts'
import type { Entry } from '../model/entry.ts'
import { withoutInjected } from '../model/injected.ts'
import { wholeNumber } from '../model/number.ts'
import type { AddOperation, Change } from '../model/operation.ts'
import type { Applied, CallOptions } from '../ports/store.ts'
import { archiveMetadata, archiveNames } from './archive.ts'
import type { SessionPlace } from './place.ts'
import { isConflict } from './races.ts'
import type { Marker, Message, Turn } from './records.ts'
import type { Sliding } from './sliding.ts'
import type { SessionState, Transcript } from './transcript.ts'
import { messagesOf, opensExchange, windowStart } from './window.ts'

export interface SummaryInput {
  /** What is to be summed up, as a model had it: without what we injected. */
  readonly messages: readonly Message[]
  /** The archive that stood before these, which the new one replaces. */
  readonly previous?: string
}

export type Summary = string | ((input: SummaryInput, call: CallOptions) => string | Promise<string>)

export interface CompactOptions extends CallOptions {
  readonly summary: Summary
  /** How many exchanges stay as they are; default 0. */
  readonly keep?: number
  readonly reason?: 'compact' | 'trim'
}

export interface Compacted {
  readonly compacted: boolean
  /** Where it was not. */
  readonly why?: 'nothing to compact' | 'the summary is empty' | 'already compacted'
  readonly archive?: Entry
  readonly marker?: Marker
  readonly change?: Change
  /** What left the window, as entries. */
  readonly slid?: readonly Entry[]
  readonly warnings: readonly string[]
}

export type InTurn = <T>(takeDown: () => Promise<T>) => Promise<T>

const MOST_KEPT = 1_000_000
const MOST_RACES = 10

export class Compaction {
  readonly #place: SessionPlace
  readonly #transcript: Transcript
  readonly #sliding: Sliding
  readonly #inTurn: InTurn

  /** `inTurn`: what is read and written stands in the queue of all that is taken down. */
  constructor(place: SessionPlace, transcript: Transcript, sliding: Sliding, inTurn: InTurn) {
    this.#place = place
    this.#transcript = transcript
    this.#sliding = sliding
    this.#inTurn = inTurn
  }

  async compact({ summary, keep = 0, reason = 'compact', signal }: CompactOptions): Promise<Compacted> {
    const call = signal ? { signal } : {}
    const kept = wholeNumber(keep, 'keep', 0, MOST_KEPT)
    if (reason !== 'compact' && reason !== 'trim') {
      throw new InvalidError('reason', `"${String(reason)}" is none`, 'compact, trim')
    }
    const state = await this.#inTurn(() => this.#transcript.settled(call))
    const span = spanOf(state.turns, kept)
    const last = span.at(-1)
    if (!last) return { compacted: false, why: whyNothing(state), warnings: [] }
    // Outside of the queue: it may take long, and say something itself.
    const content = await summaryOf(summary, state, span, call)
    if (content.trim() === '') return { compacted: false, why: 'the summary is empty', warnings: [] }
    return this.#inTurn(() => this.#write(state, span, last, content, reason, call))
  }

  async #write(
    state: SessionState,
    span: readonly Turn[],
    last: Turn,
    content: string,
    reason: 'compact' | 'trim',
    call: CallOptions,
  ): Promise<Compacted> {
    const before = await this.#sliding.slideThrough(last.id, call)
    const applied = await this.#archived(state, span, content, reason, call)
    const { marker, turns } = await this.#transcript.settled(call)
    const id = state.archiveId
    const isInForce = marker?.archiveId === id
    const orphan = isInForce ? lastBeforeExchanges(turns) : undefined
    const after = orphan ? await this.#sliding.slideThrough(orphan.id, call) : { slid: [], warnings: [] }
    const [slid, warnings] = [
      [...before.slid, ...after.slid],
      [...before.warnings, ...after.warnings],
    ]
    if (!applied) return { compacted: false, why: 'already compacted', ...(marker ? { marker } : {}), warnings }
    const archive = applied.entries.find((entry) => entry.id === id)
    return {
      compacted: true,
      ...(archive ? { archive } : {}),
      ...(isInForce ? { marker } : {}),
      ...(applied.change ? { change: applied.change } : {}),
      slid,
      warnings: [...warnings, ...applied.warnings, ...(isInForce ? [] : [NOT_IN_FORCE])],
    }
  }

  /** `undefined`: another one has made it meanwhile. */
  async #archived(
    state: SessionState,
    span: readonly Turn[],
    content: string,
    reason: 'compact' | 'trim',
    call: CallOptions,
  ): Promise<Applied | undefined> {
    const { agent, key, apply, store } = this.#place
    const { archiveId: id } = state
    if (id === undefined) throw new Error('unreachable: there are turns')
    const names = archiveNames(key, state.marker?.archiveName)
    let name = names.next().value
    for (let races = 0; ; races++) {
      while (await store.resolve(agent, name, call)) name = names.next().value
      const archive: AddOperation = {
        op: 'add',
        scope: agent,
        kind: 'archive',
        id,
        name,
        content,
        metadata: archiveMetadata(key, span, reason),
      }
      try {
        return await apply(
          { operations: [archive], origin: { by: 'agent', agent, session: key } },
          { ...call, expect: { [id]: null } },
        )
      } catch (error) {
        // Another one made it, or the name was taken, since this looked.
        const raced = isConflict(error) || (isKeepsakeError(error) && error.code === 'NAME_TAKEN')
        if (!raced || races >= MOST_RACES) throw error
        if (await store.get(id, call)) return undefined
      }
    }
  }
}

/**
 * What is older than the exchanges that stay. Where there are no more than these, all stays, with what stands before the first. A
 * marker names its last turn: where a hand has copied that one, it goes as far as the copy.
 */
function spanOf(turns: readonly Turn[], kept: number): readonly Turn[] {
  const span = turns.slice(0, windowStart(turns, kept))
  if (kept !== 0 && !span.some(opensExchange)) return []
  return turns.slice(0, turns.findLastIndex(({ id }) => id === span.at(-1)?.id) + 1)
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

async function summaryOf(
  summary: Summary,
  { archive }: SessionState,
  span: readonly Turn[],
  call: CallOptions,
): Promise<string> {
  if (typeof summary !== 'function') return cleaned(summary)
  const previous = archive?.missing ? undefined : archive?.content
  const input = { messages: messagesOf(span), ...(previous === undefined ? {} : { previous }) }
  return cleaned(await summary(input, call))
}

/** A model may hand back the recap that it was given. */
function cleaned(summary: unknown): string {
  return withoutInjected(normalizeText(summary, 'summary'))
}
