/**
 * One session's transcript, read from its end, and what follows from it together with the entries: the marker in force, its archive,
 * the live turns. What a crash has kept from being appended is worked out: a marker from its archive, an unmark from the undo or
 * the purge that removed the archive. Reading never writes; `settled` appends what is missing.
 */
import type { Entry } from '../model/entry.ts'
import { derivedId, newId } from '../model/id.ts'
import { instant } from '../model/time.ts'
import type { CallOptions, SessionRecord } from '../ports/store.ts'
import { archiveId, isFallback, markerOf } from './archive.ts'
import { Archives, archiveHeads, type LookUp, type ShownArchive, shownOf } from './archives.ts'
import { BackwardReading } from './backward-reading.ts'
import type { BrokenLine } from './broken-records.ts'
import type { SessionPlace } from './place.ts'
import { againAfterRaces, isConflict } from './races.ts'
import { type Marker, markerRecord, parseRecords, type TranscriptRecord, type Turn, unmarkRecord } from './records.ts'
import type { Live } from './replay.ts'

export interface SessionState extends Live {
  /** `null`: there is no such session yet, or nobody can read when it began. */
  readonly createdAt: string | null
  readonly archive?: ShownArchive
  readonly broken: readonly BrokenLine[]
  /** Where the transcript ended. */
  readonly end: number
  /** Records that should be there and are not. */
  readonly owed: readonly SessionRecord[]
  /** The id of an archive that begins with the first live turn, if it is made now. */
  readonly archiveId?: string
  /** Raw archives that begin with that turn and stand for nothing. */
  readonly fallbacks: readonly string[]
}

interface Shown {
  readonly live: Live
  readonly archive: ShownArchive | undefined
}

/** The turns that were not offered to `conversation` yet. */
export interface Unslid {
  readonly turns: readonly Turn[]
  /** The last turn that a marker covers: none up to it is in the window. */
  readonly leftBehind: string | undefined
}

export class Transcript {
  readonly #place: SessionPlace
  readonly #archives: Archives
  #unslid: (Unslid & { readonly turns: Turn[]; readonly end: number }) | undefined
  #liveIds: { readonly ids: Set<string>; readonly end: number } | undefined

  constructor(place: SessionPlace, past?: LookUp) {
    this.#place = place
    this.#archives = new Archives(place, past)
  }

  async state(options: CallOptions): Promise<SessionState> {
    const reading = new BackwardReading(this.#place, options)
    const voided = new Set<string>()
    const owed: SessionRecord[] = []
    for (;;) {
      const live = await reading.until((replay, isWhole) => replay.live(isWhole, voided))
      if (!live) return { createdAt: null, turns: [], broken: [], end: 0, owed: [], fallbacks: [] }
      const archive = live.marker && (await this.#archives.of(live.marker, options))
      const isPurged = archive !== 'undone' && archive?.missing && reading.replay.isReplaced(archive.id)
      if (archive === 'undone' || isPurged) {
        const id = live.marker?.id ?? ''
        voided.add(id)
        owed.push(unmarkRecord(newId(this.#place.clock()), this.#now(), id))
        continue
      }
      const found = await this.#withLostMarkers(reading, voided, { live, archive }, options)
      return {
        ...found.live,
        ...(found.archiveId === undefined ? {} : { archiveId: found.archiveId }),
        ...(found.archive === undefined ? {} : { archive: found.archive }),
        fallbacks: found.fallbacks,
        createdAt: reading.createdAt,
        broken: reading.broken,
        end: reading.end,
        owed: [...owed, ...found.owed],
      }
    }
  }

  /**
   * Like `state`, but may have only the last live turns: at least this many exchanges, if the session has them. In a session without an
   * archive, an earlier marker changes nothing that is shown, so reading stops there.
   */
  async recent(exchanges: number, options: CallOptions): Promise<SessionState> {
    const heads = await archiveHeads(this.#place, options)
    if (heads.some(({ metadata }) => metadata['session'] === this.#place.key)) return this.state(options)
    const reading = new BackwardReading(this.#place, options)
    const live = await reading.until((replay, isWhole) => replay.live(isWhole) ?? replay.recent(exchanges))
    if (!live || live.marker?.archiveId !== undefined) return this.state(options)
    const { createdAt, broken, end } = reading
    return { ...live, createdAt, broken, end, owed: [], fallbacks: [] }
  }

  /** The same, once what a crash has kept from being appended is there. */
  async settled(options: CallOptions): Promise<SessionState> {
    const { sessions, agent, key } = this.#place
    try {
      return await againAfterRaces(async () => {
        const state = await this.state(options)
        if (state.owed.length === 0) return state
        await sessions.append(agent, key, state.owed, { ...options, expectEnd: state.end })
        return this.state(options)
      })
    } catch (error) {
      // Many others are at it all the time, and the next write may do it.
      if (isConflict(error)) return this.state(options)
      throw error
    }
  }

  /** Of what is known from before, only what came since is read. */
  async unslid(options: CallOptions): Promise<Unslid> {
    const known = this.#unslid
    this.#unslid = undefined
    const since = known && (await this.since(known.end, options))
    if (since && continued(known.turns, since.records)) {
      this.#unslid = { ...known, turns: eachOnce(known.turns), end: since.end }
      return this.#unslid
    }
    const reading = new BackwardReading(this.#place, options)
    const turns = eachOnce((await reading.until((replay, isWhole) => replay.unslid(isWhole))) ?? [])
    this.#unslid = { turns, leftBehind: reading.replay.leftBehind(), end: reading.end }
    return this.#unslid
  }

  /** The ids of the live turns. After the first call, reads only what was appended since, unless that moved the marker. */
  async liveIds(options: CallOptions): Promise<ReadonlySet<string>> {
    const known = this.#liveIds
    this.#liveIds = undefined
    const since = known && (await this.since(known.end, options))
    if (known && since?.records.every(movesNoMarker)) {
      for (const record of since.records) if (record.type === 'turn') known.ids.add(record.turn.id)
      this.#liveIds = { ids: known.ids, end: since.end }
    } else {
      const { turns, end } = await this.state(options)
      this.#liveIds = { ids: new Set(turns.map(({ id }) => id)), end }
    }
    return this.#liveIds.ids
  }

  /** The records after a position; `undefined` if the transcript is gone, or a purge has rewritten what came before. */
  async since(
    position: number,
    options: CallOptions,
  ): Promise<{ readonly records: readonly TranscriptRecord[]; readonly end: number } | undefined> {
    const { sessions, agent, key } = this.#place
    const page = await sessions.read(agent, key, position, options)
    return page && !page.restarted ? { records: parseRecords(page.records), end: page.next } : undefined
  }

  /** Appends records that were decided on a state, as long as they hold: `decide` is asked again after each race. */
  async decided<T>(
    decide: (state: SessionState) => { readonly records: readonly SessionRecord[]; readonly value: T },
    options: CallOptions,
  ): Promise<T> {
    const { sessions, agent, key } = this.#place
    return againAfterRaces(async () => {
      const state = await this.settled(options)
      const { records, value } = decide(state)
      if (records.length > 0) await sessions.append(agent, key, records, { ...options, expectEnd: state.end })
      return value
    })
  }

  async #withLostMarkers(
    reading: BackwardReading,
    voided: ReadonlySet<string>,
    known: Shown,
    options: CallOptions,
  ): Promise<Shown & Pick<SessionState, 'archiveId' | 'fallbacks' | 'owed'>> {
    const { key, clock, agent } = this.#place
    const owed: SessionRecord[] = []
    let { live: now, archive } = known
    for (;;) {
      const found = { live: now, archive, fallbacks: [], owed }
      const first = now.turns[0]?.id
      if (first === undefined) return found
      const { made, next } = await this.#makings(first, reading.replay.gone(voided), options)
      let isLost = false
      for (const entry of made.toReversed()) {
        const lost = markerOf(entry, key, first, derivedId(agent, `marker\0${entry.id}`))
        const after = lost && isOf(lost, now) && reading.replay.live(reading.isWhole, voided, lost)
        if (!after || after.turns.length >= now.turns.length) continue
        isLost = true
        now = after
        archive = lost.reason === 'new' ? undefined : shownOf(entry)
        owed.push(markerRecord({ ...lost, id: newId(clock()), at: this.#now() }))
        break
      }
      const fallbacks = made.filter(isFallback).map(({ id }) => id)
      if (!isLost) return { ...found, archiveId: next, fallbacks }
    }
  }

  /** The archives that begin with a turn and are there, oldest first, and the id of the next: none that is gone has it. */
  async #makings(
    firstTurn: string,
    gone: ReadonlySet<string>,
    options: CallOptions,
  ): Promise<{ readonly made: readonly Entry[]; readonly next: string }> {
    const { agent, key } = this.#place
    const made: Entry[] = []
    const there = new Set((await archiveHeads(this.#place, options)).map(({ id }) => id))
    for (let nth = 1; ; nth++) {
      const id = archiveId(agent, key, firstTurn, nth)
      const entry = there.has(id) ? await this.#archives.there(id, options) : undefined
      if (entry) made.push(entry)
      else if (!gone.has(id)) return { made, next: id }
    }
  }

  #now(): string {
    return instant(this.#place.clock())
  }
}

/** Else its archive stands for turns that have gone already, and a hand has copied the first of them. */
function isOf({ through }: Marker, { turns }: Live): boolean {
  return turns.some(({ id }) => id === through)
}

/** `false`: more has changed than that turns came and slid out. */
function continued(turns: Turn[], records: readonly TranscriptRecord[]): boolean {
  for (const record of records) {
    if (record.type === 'turn') turns.push(record.turn)
    else if (record.type === 'slid') turns.splice(0, turns.findLastIndex(({ id }) => id === record.through) + 1)
    else return false
  }
  return true
}

/** A hand may have copied a line: it is still one turn, where it stands last. */
function eachOnce(turns: readonly Turn[]): Turn[] {
  const known = new Set<string>()
  return turns
    .toReversed()
    .filter(({ id }) => !known.has(id) && known.add(id))
    .toReversed()
}

/** Whether the marker stays where it is after this record, whatever happens to an archive. */
export function movesNoMarker({ type }: TranscriptRecord): boolean {
  return type === 'turn' || type === 'slid' || type === 'revision'
}
