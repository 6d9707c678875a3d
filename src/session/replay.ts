/**
 * From where on a session counts, found from its end: a transcript is put in page by page, the last one first, until the marker
 * in force is certain. So it takes what was said since, and not what was ever said. Pure.
 * Of the markers in force the one that covers furthest counts, of equal ones the last in the file; but what was left behind by a
 * reset stays so, whatever is undone and redone since. Where a broken line has taken the turn that it goes through, it goes as far as its first turn and its time tell; where that is gone too, as far as the one
 * before it, for it was made of what that one left.
 */
import { opensExchange } from '../model/opens-exchange.ts'
import { Unmarks } from './markers.ts'
import type { Marker, TranscriptRecord, Turn } from './records.ts'
import { Revisions } from './revisions.ts'

export interface Live {
  readonly marker?: Marker
  /** What came after it, oldest first. */
  readonly turns: readonly Turn[]
}

/** How far behind the end something stands: 0 is the last record. */
type Age = number

interface Aged<T> {
  readonly age: Age
  readonly value: T
}

const NONE: ReadonlySet<string> = new Set()

export class Replay {
  /** Each newest first. */
  readonly #turns: Aged<Turn>[] = []
  /** Those that no unmark takes back. */
  readonly #markers: Aged<Marker>[] = []
  readonly #takenBack: Marker[] = []
  readonly #replaced: string[] = []
  readonly #slid: Aged<string>[] = []
  readonly #revisions = new Revisions()
  readonly #unmarks = new Unmarks()
  /** Where in `#turns` each id stands, newest first: nobody keeps a hand from copying a line. */
  readonly #places = new Map<string, number[]>()
  #age = 0

  /** The page before all that were put in already; its records oldest first. */
  putBefore(records: readonly TranscriptRecord[]): void {
    for (const record of records.toReversed()) this.#put(record, this.#age++)
  }

  /**
   * `undefined`: read on. `isWhole`: there is nothing before. `voided`: markers that don't count although no record says so;
   * `lost`: one that counts although it has none, as if it stood at the end.
   */
  live(isWhole: boolean, voided: ReadonlySet<string> = NONE, lost?: Marker): Live | undefined {
    const inForce = this.#markers.filter(({ value }) => !voided.has(value.id))
    if (lost) inForce.unshift({ age: -1, value: lost })
    const located = inForce.map((marker) => ({ marker, cut: this.#lastCovered(marker) }))
    let furthest: number | undefined
    for (const { cut } of located) furthest = newer(furthest, cut)
    if (!isWhole && (furthest === undefined || this.#mayReachFurther(inForce, furthest))) return undefined
    const reaching = located
      .slice(0, located.findLastIndex(({ cut }) => cut === furthest) + 1)
      .filter(({ cut }) => cut === furthest || cut === undefined)
      .map(({ marker }) => marker.value)
    const marker = reaching.find(({ reason }) => reason === 'new') ?? reaching[0]
    return { ...(marker ? { marker } : {}), turns: this.#turnsAfter(furthest) }
  }

  /**
   * The last exchanges and at least one turn before them, if no marker has been read yet: a marker further back covers none of them.
   * `undefined`: read on.
   */
  recent(exchanges: number): Live | undefined {
    if (this.#markers.length > 0) return undefined
    let left = exchanges
    for (const { value } of this.#turns) {
      if (left === 0) return { turns: this.#turnsAfter() }
      if (opensExchange(value)) left--
    }
    return undefined
  }

  /** Archives that were made and are gone, as far as is read: by an undo, which took the marker back, or for another one. */
  gone(voided: ReadonlySet<string>): ReadonlySet<string> {
    const inForce = this.#markers.map(({ value }) => value).filter(({ id }) => voided.has(id))
    const undone = [...this.#takenBack, ...inForce].flatMap(({ archiveId }) => archiveId ?? [])
    return new Set([...undone, ...this.#replaced])
  }

  /** Whether an archive was to make way, as far as is read. */
  isReplaced(archive: string): boolean {
    return this.#replaced.includes(archive)
  }

  /** The turns that were not offered to `conversation` yet, oldest first, as far as is read; `undefined`: read on. */
  unslid(isWhole: boolean): readonly Turn[] | undefined {
    // A marker says nothing about that: where the memory could not take its turns, they are still to come.
    let last: number | undefined
    for (const { age, value } of this.#slid) last = newer(last, this.#placeOf(value, age))
    return last === undefined && !isWhole ? undefined : this.#turnsAfter(last)
  }

  /** The last turn that a marker covers, as far as is read: none up to it is in any window. */
  leftBehind(): string | undefined {
    let last: number | undefined
    for (const marker of this.#markers) last = newer(last, this.#lastCovered(marker))
    return last === undefined ? undefined : this.#turns[last]?.value.id
  }

  #put(record: TranscriptRecord, age: Age): void {
    if (record.type === 'marker') {
      if (this.#unmarks.takeBack(record.marker)) this.#takenBack.push(record.marker)
      else this.#markers.push({ age, value: record.marker })
    } else if (record.type === 'unmark') this.#unmarks.put(record.marker)
    else if (record.type === 'replaced') this.#replaced.push(record.archive)
    else if (record.type === 'revision') this.#revisions.put(record.revision)
    else if (record.type === 'slid') this.#slid.push({ age, value: record.through })
    else {
      const { id } = record.turn
      this.#places.set(id, [...(this.#places.get(id) ?? []), this.#turns.length])
      this.#turns.push({ age, value: this.#revisions.applied(record.turn) })
    }
  }

  /** Where in `#turns` the last turn stands that a marker covers. */
  #lastCovered({ age, value: { first, through, until, turns } }: Aged<Marker>): number | undefined {
    const start = this.#placeOf(first, age)
    const end = this.#placeOf(through, age)
    if (end !== undefined && (start === undefined || end <= start)) return end
    if (start === undefined) return undefined
    // No further than the span was long: what came after it is nowhere but here.
    let last = start
    while (start - last < turns - 2 && this.#isWithin(last - 1, age, until)) last--
    return last
  }

  /** A marker that stands behind a turn and is of turns that are not read yet may cover that turn too, where lines are broken. */
  #mayReachFurther(markers: readonly Aged<Marker>[], place: number): boolean {
    const turnAge = this.#turns[place]?.age ?? 0
    return markers.some((marker) => marker.age < turnAge && this.#lastCovered(marker) === undefined)
  }

  #isWithin(place: number, age: Age, until: string): boolean {
    const turn = this.#turns[place]
    return turn !== undefined && turn.age > age && turn.value.at <= until
  }

  /** The newest of that id before a record of that age. */
  #placeOf(id: string, age: Age): number | undefined {
    return this.#places.get(id)?.find((place) => (this.#turns[place]?.age ?? -1) > age)
  }

  #turnsAfter(place: number = this.#turns.length): Turn[] {
    return this.#turns
      .slice(0, place)
      .map(({ value }) => value)
      .toReversed()
  }
}

/** Of two places in `#turns`, which are counted from the end. */
function newer(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : other === undefined ? one : Math.min(one, other)
}
