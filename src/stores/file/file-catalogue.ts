/**
 * All that the frames of the file say, in memory: heads and names (head-catalog.ts), and where everything else lies: texts, changes,
 * transcripts, kept files, derived bytes. What the last fold told stays packed; here is what came after it. No text is held.
 * Invariant: taking in the same frames in order gives the same catalogue in every process.
 */
import { decodeBase } from '../../codec/one-file/base.ts'
import type { TextPlace } from '../../codec/one-file/bytes.ts'
import { type DecodedCatalogue, decodeCatalogue, type Extent, type SessionRow } from '../../codec/one-file/catalogue.ts'
import { decodeChange } from '../../codec/one-file/change.ts'
import { malformed, type PayloadPlace } from '../../codec/one-file/malformed.ts'
import { decodeSession } from '../../codec/one-file/named-bytes.ts'
import type { EntryHead, Scope } from '../../model/entry.ts'
import type { Settings } from '../../ports/store.ts'
import { HeadCatalog } from '../disk/head-catalog.ts'
import { PackedHeads } from '../disk/packed-heads.ts'
import { ChangePlaces } from './change-places.ts'

/** A transcript: its pieces in order. */
export interface SessionPlaces {
  readonly scope: Scope
  readonly key: string
  readonly extents: readonly Extent[]
}

interface GrowingSession extends SessionPlaces {
  readonly extents: Extent[]
}

const NO_PLACE: TextPlace = { offset: 0, length: 0, crc: 0 }

export class FileCatalogue extends HeadCatalog {
  readonly settings: Settings
  /** Of the file, for errors. */
  readonly #path: string
  readonly changes: ChangePlaces
  /** Where the `base` frames begin. */
  readonly bases: number[]
  /** From when on the past is known. Missing: from the very beginning. */
  since: string | undefined
  readonly firstOfEpoch: number
  /** Where the `file` frames begin, by path. */
  readonly files: Map<string, number>
  /** By key. */
  readonly derived: Map<string, TextPlace>
  readonly #packed: { readonly heads: PackedHeads; readonly decoded: DecodedCatalogue } | undefined
  /** Texts that frames behind the last fold brought. */
  readonly #texts = new Map<string, TextPlace>()
  #sessions: Map<string, GrowingSession> | undefined
  readonly #latestSessions: { readonly scope: Scope; readonly key: string; readonly extent: Extent }[] = []

  private constructor(settings: Settings, epoch: string, place: PayloadPlace, decoded?: DecodedCatalogue) {
    const heads = decoded && packedHeads(decoded, place)
    super(heads)
    this.settings = settings
    this.#path = place.path
    this.#packed = decoded && heads && { heads, decoded }
    this.changes = new ChangePlaces(decoded?.sections.changeNumbers, decoded?.sections.changeOffsets)
    this.bases = [...(decoded?.head.bases ?? [])]
    this.since = decoded?.head.since
    this.firstOfEpoch = decoded?.head.firstOfEpoch ?? 1
    this.files = new Map(decoded?.head.files)
    this.derived = new Map(decoded?.head.derived.map(([key, extent]) => [key, placeOf(extent)]))
    this.epoch = decoded?.head.epoch ?? epoch
    this.number = decoded?.head.number ?? 0
    this.nextSeq = decoded?.head.nextSeq ?? 1
  }

  static empty(settings: Settings, epoch: string, path: string): FileCatalogue {
    return new FileCatalogue(settings, epoch, { path, at: 0 })
  }

  /** `payload`: of a `cata` frame. */
  static decoded(settings: Settings, payload: Uint8Array, place: PayloadPlace): FileCatalogue {
    return new FileCatalogue(settings, '', place, decodeCatalogue(payload, place))
  }

  /** Of the text of an entry that is there. */
  placeOf(id: string): TextPlace {
    const latest = this.#texts.get(id)
    if (latest) return latest
    const row = this.#packed?.heads.rowOf(id)
    const { textOffsets, textLengths, textCrcs } = this.#packed?.decoded.sections ?? {}
    if (row === undefined) return NO_PLACE
    return { offset: textOffsets?.[row] ?? 0, length: textLengths?.[row] ?? 0, crc: textCrcs?.[row] ?? 0 }
  }

  session(scope: Scope, key: string): SessionPlaces | undefined {
    return this.#allSessions().get(sessionKey(scope, key))
  }

  sessions(): Iterable<SessionPlaces> {
    return this.#allSessions().values()
  }

  /** Parsed when somebody asks: most commands do not. */
  #allSessions(): Map<string, GrowingSession> {
    if (this.#sessions) return this.#sessions
    const rows: readonly SessionRow[] = this.#packed?.decoded.sessions() ?? []
    this.#sessions = new Map(
      rows.map(([scope, key, extents]) => [sessionKey(scope, key), { scope, key, extents: [...extents] }]),
    )
    for (const { scope, key, extent } of this.#latestSessions.splice(0)) extend(this.#sessions, scope, key, extent)
    return this.#sessions
  }

  /** `false`: it is not the change after the last one, and nothing was taken in. `at`: where the payload begins. */
  takeChange(payload: Uint8Array, at: number, frame: number, mayJump = false): boolean {
    const { change, places } = decodeChange(payload, { path: this.#path, at })
    if (mayJump ? change.number <= this.number : change.number !== this.number + 1) return false
    this.takeEntries(change)
    for (const [index, { op, id = '' }] of change.operations.entries()) {
      const place = places[index]
      if (op === 'remove') this.#texts.delete(id)
      else if (place) this.#texts.set(id, place)
    }
    this.changes.push(change.number, frame)
    this.number = change.number
    return true
  }

  takeBase(payload: Uint8Array, at: number, frame: number): void {
    const { since, heads, places } = decodeBase(payload, { path: this.#path, at })
    this.since = since
    this.bases.push(frame)
    for (const [index, head] of heads.entries()) {
      this.put(head)
      this.#texts.set(head.id, places[index] ?? NO_PLACE)
    }
  }

  takeSession(payload: Uint8Array, at: number): void {
    const { scope, key, place } = decodeSession(payload, { path: this.#path, at })
    const extent = extentOf(place)
    if (this.#sessions) extend(this.#sessions, scope, key, extent)
    else this.#latestSessions.push({ scope, key, extent })
  }
}

function extend(sessions: Map<string, GrowingSession>, scope: Scope, key: string, extent: Extent): void {
  const known = sessions.get(sessionKey(scope, key))
  if (known) known.extents.push(extent)
  else sessions.set(sessionKey(scope, key), { scope, key, extents: [extent] })
}

function sessionKey(scope: Scope, key: string): string {
  return `${scope}\0${key}`
}

/** How an error names an entry. */
export function nameOf({ name, id }: EntryHead): string {
  return name === null ? id : `"${name}" (${id})`
}

export function placeOf([offset, length, crc]: Extent): TextPlace {
  return { offset, length, crc }
}

export function extentOf({ offset, length, crc }: TextPlace): Extent {
  return [offset, length, crc]
}

function packedHeads({ head, sections }: DecodedCatalogue, place: PayloadPlace): PackedHeads {
  return new PackedHeads({ ...sections, places: new Uint32Array() }, head.contested, () => malformed(place))
}
