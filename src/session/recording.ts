/**
 * What a session keeps: turns, the window over them, compaction, reset, import. Loaded when it is first wanted, for most who open
 * a memory only ask what to inject.
 */

import { InvalidError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import { block } from '../model/injected.ts'
import { wholeNumber } from '../model/number.ts'
import { isMarkedResult } from '../model/own-results.ts'
import { instant } from '../model/time.ts'
import type { CallOptions, SessionRecord } from '../ports/store.ts'
import { neutral } from '../prompt/neutral.ts'
import { conversationId } from './archive.ts'
import type { ShownArchive } from './archives.ts'
import { type BrokenLine, brokenRecords } from './broken-records.ts'
import { type Compacted, Compaction, type CompactOptions, type InTurn } from './compaction.ts'
import { importTurns } from './import-turns.ts'
import { markersIn } from './markers.ts'
import type { SessionPlace } from './place.ts'
import { type Marker, type Message, parseRecords, type Turn, type TurnInput, turnRecord } from './records.ts'
import { type Reset, type ResetOptions, resetSession } from './reset.ts'
import { turnsIn } from './revisions.ts'
import { shownText } from './shown-text.ts'
import { type KnownEcho, Sliding } from './sliding.ts'
import { Transcript } from './transcript.ts'
import { checkedGiven, checkedImport, checkedTurns, type GivenText } from './turn-input.ts'
import { messagesOf, windowStart } from './window.ts'

/** What a session is now. */
export interface SessionView {
  readonly key: string
  /** `null`: there is no such session yet, or nobody can read when it began. */
  readonly createdAt: string | null
  /** From where on it counts. */
  readonly marker?: Marker
  /** What stands for the turns before the marker. */
  readonly archive?: ShownArchive
  /** After the marker, oldest first. */
  readonly turns: readonly Turn[]
  /** Lines and records that could not be read, as far as it was read. */
  readonly broken: readonly BrokenLine[]
}

/** All that was ever said in a session. */
export interface WholeTranscript {
  readonly createdAt: string | null
  readonly turns: readonly Turn[]
  readonly markers: readonly (Marker & { readonly unmarked: boolean })[]
  readonly broken: readonly BrokenLine[]
}

export interface SessionWindow {
  /** The archive as a message of its own, then the last exchanges. */
  readonly messages: readonly Message[]
  /** The last exchanges as they are kept. */
  readonly turns: readonly Turn[]
  readonly archive?: ShownArchive
}

export interface WindowOptions extends CallOptions {
  /** How many exchanges; default: as the memory is set. */
  readonly size?: number
}

export interface AppendedTurns {
  readonly turns: readonly Turn[]
  /** What left the window, as entries. */
  readonly slid: readonly Entry[]
  readonly warnings: readonly string[]
}

export interface ImportOptions extends CallOptions {
  /** What the transcript shows to have been given by us: where it is quoted later, nobody has said it. */
  readonly given?: readonly (string | GivenText)[]
  /** Whether what is outside the window becomes `conversation` entries now; else the next append does that. Default true. */
  readonly slide?: boolean
}

export interface ImportedTurns {
  readonly added: number
  /** Turns that say more than before. */
  readonly grown: number
  /** Turns that say what they said. */
  readonly already: number
  readonly warnings: readonly string[]
}

const LARGEST_WINDOW = 1_000_000

export class Recording {
  readonly #place: SessionPlace
  readonly #echo: KnownEcho
  readonly #transcript: Transcript
  readonly #sliding: Sliding
  /** Whether it was looked for what a crash of another process left undone. */
  #isSettled = false
  /** What is taken down now. */
  #takenDown: Promise<unknown> = Promise.resolve()

  constructor(place: SessionPlace, echo: KnownEcho) {
    this.#place = place
    this.#echo = echo
    this.#transcript = new Transcript(place)
    this.#sliding = new Sliding(place, this.#transcript, echo)
  }

  async append(given: TurnInput | readonly TurnInput[], options: CallOptions): Promise<AppendedTurns> {
    const turns = checkedTurns(given, this.#place.clock)
    const ids = givenIds(given)
    return this.#inTurn(async () => {
      if (ids.length > 0) await this.#refuseKnown(ids, options)
      return this.#append(turns, options)
    })
  }

  /** What is derived from a turn's id would be the other's: its archive, its entry. Where a marker covers that one, both are apart. */
  async #refuseKnown(ids: readonly string[], options: CallOptions): Promise<void> {
    const known = await this.#transcript.liveIds(options)
    const given = new Set<string>()
    for (const id of ids) {
      if (known.has(id) || given.has(id))
        throw new InvalidError('id', `${JSON.stringify(id)} is another turn's`, 'one of its own, or none')
      given.add(id)
    }
  }

  async #append(turns: readonly Turn[], options: CallOptions): Promise<AppendedTurns> {
    const { sessions, agent, key, windowSize } = this.#place
    await this.#settle(options)
    const ahead = await this.#sliding.ahead(turns, windowSize, options)
    await sessions.append(agent, key, [...(await this.#recordsOf(turns, options)), ...ahead.records], options)
    const { slid, warnings } = ahead
    if (ahead.isAll) return { turns, slid, warnings }
    const rest = await this.#sliding.slideOut(windowSize, options)
    return { turns, slid: [...slid, ...rest.slid], warnings: [...new Set([...warnings, ...rest.warnings])] }
  }

  /** What a result of our own tools shows is known from there on: not to who called for it, but to who answers. */
  async #recordsOf(turns: readonly Turn[], options: CallOptions): Promise<SessionRecord[]> {
    const records: SessionRecord[] = []
    for (const turn of turns) {
      if (isMarkedResult(turn)) {
        records.push(...(await this.#echo.recordsOf([{ text: shownText(turn.content), at: turn.at }], options)))
      }
      records.push(turnRecord(turn))
    }
    return records
  }

  async import(turns: readonly TurnInput[], options: ImportOptions): Promise<ImportedTurns> {
    const checked = checkedImport(turns, this.#place.clock)
    const given = checkedGiven(options.given)
    const timed = new Set(checked.filter((_, index) => turns[index]?.at !== undefined).map(({ id }) => id))
    return this.#inTurn(() => this.#import(checked, timed, given, options))
  }

  async #import(
    turns: readonly Turn[],
    timed: ReadonlySet<string>,
    given: readonly GivenText[],
    { slide = true, ...options }: Omit<ImportOptions, 'given'>,
  ): Promise<ImportedTurns> {
    await this.#settle(options)
    if (turns.length > 0 && given.length > 0) await this.#echo.keep(withTimes(given, turns), options)
    const imported = await importTurns(this.#place, turns, timed, options)
    const { warnings } = slide ? await this.#sliding.slideOut(this.#place.windowSize, options) : { warnings: [] }
    return { ...imported, warnings }
  }

  async view(options: CallOptions): Promise<SessionView> {
    const { createdAt, marker, archive, turns, broken } = await this.#transcript.state(options)
    return {
      key: this.#place.key,
      createdAt,
      ...(marker ? { marker } : {}),
      ...(archive ? { archive } : {}),
      turns,
      broken,
    }
  }

  async whole(options: CallOptions): Promise<WholeTranscript> {
    const { sessions, agent, key } = this.#place
    const page = await sessions.read(agent, key, 0, options)
    if (!page) return { createdAt: null, turns: [], markers: [], broken: [] }
    const { createdAt } = page.meta
    return {
      createdAt: typeof createdAt === 'string' ? createdAt : null,
      turns: turnsIn(parseRecords(page.records)),
      markers: markersIn(page.records).map(({ marker, unmarked }) => ({ ...marker, unmarked })),
      broken: [...page.broken, ...brokenRecords(page.records)],
    }
  }

  async window({ size = this.#place.windowSize, ...options }: WindowOptions): Promise<SessionWindow> {
    const exchanges = wholeNumber(size, 'size', 0, LARGEST_WINDOW)
    const { turns: live, marker, archive: known } = await this.#transcript.recent(exchanges, options)
    const start = windowStart(live, exchanges)
    const turns = live.slice(start)
    // The line for a missing archive is shown only until turns after it leave the window. Otherwise each window might have to read the
    // whole transcript to find out that the archive is missing.
    const archive = known?.missing && start > 0 ? undefined : known
    const messages = exchanges === 0 ? [] : [...recapOf(archive, marker), ...messagesOf(turns)]
    return { messages, turns, ...(archive ? { archive } : {}) }
  }

  async compact(options: CompactOptions): Promise<Compacted> {
    const inTurn: InTurn = (takeDown) => this.#inTurn(takeDown)
    return new Compaction(this.#place, this.#transcript, this.#sliding, this.#echo, inTurn).compact(options)
  }

  async reset(options: ResetOptions): Promise<Reset> {
    return this.#inTurn(() => resetSession(this.#place, this.#transcript, this.#sliding, options))
  }

  /** The entries that say what stands in the window anyway, or in these turns. */
  async shown(others: readonly string[], options: CallOptions): Promise<ReadonlySet<string>> {
    const { agent, key, windowSize } = this.#place
    const { archive, turns, fallbacks } = await this.#transcript.recent(windowSize, options)
    const shown = [...inWindow(turns, windowSize).map(({ id }) => id), ...others]
    const ids = shown.map((id) => conversationId(agent, key, id))
    return new Set([...(archive ? [archive.id] : []), ...fallbacks, ...ids])
  }

  /** One after the other, in the order asked for: each looks at what the one before has left in the window. */
  #inTurn<T>(takeDown: () => Promise<T>): Promise<T> {
    const taken = this.#takenDown.then(takeDown)
    this.#takenDown = taken.catch(() => undefined)
    return taken
  }

  /** Once: this process appends its own markers, and one that died did so before this one began, or will be seen by the next. */
  async #settle(options: CallOptions): Promise<void> {
    if (this.#isSettled) return
    const { owed } = await this.#transcript.recent(this.#place.windowSize, options)
    if (owed.length > 0) await this.#transcript.settled(options)
    this.#isSettled = true
  }
}

function givenIds(given: TurnInput | readonly TurnInput[]): string[] {
  return [given].flat().flatMap(({ id }) => id ?? [])
}

/** What has no time was given before all of these turns. */
function withTimes(given: readonly GivenText[], turns: readonly Turn[]): GivenText[] {
  const first = turns.reduce((earliest, { at }) => Math.min(earliest, Date.parse(at)), Number.POSITIVE_INFINITY)
  const before = instant(first - 1)
  return given.map(({ text, at = before }) => ({ text, at }))
}

function inWindow(turns: readonly Turn[], size: number): readonly Turn[] {
  return turns.slice(windowStart(turns, size))
}

/** What an archive says is data to a model, whoever has written it. */
function recapOf(archive: ShownArchive | undefined, marker: Marker | undefined): Message[] {
  if (!archive || !marker) return []
  return [{ role: 'user', content: block('recap', neutral(archive.content)), at: marker.archivedAt ?? marker.at }]
}
