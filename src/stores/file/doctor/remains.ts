/**
 * What can be read of a file, taken frame by frame, and what is lost, each loss a finding. Where changes are damaged, the catalogue
 * still knows every entry that there was when it was made, and the checksum of each text.
 * Invariant: nothing counts as read unless a checksum proves it.
 */
import { crc32 } from 'node:zlib'
import type { ChangeRecord } from '../../../codec/change-record.ts'
import { decodeBase } from '../../../codec/one-file/base.ts'
import type { TextPlace } from '../../../codec/one-file/bytes.ts'
import { decodeChange } from '../../../codec/one-file/change.ts'
import { FRAME_BYTES } from '../../../codec/one-file/frame.ts'
import type { PayloadPlace } from '../../../codec/one-file/malformed.ts'
import { decodeKeptFile, decodeSession } from '../../../codec/one-file/named-bytes.ts'
import { decodeSettings } from '../../../codec/one-file/settings.ts'
import { isKeepsakeError } from '../../../errors.ts'
import type { Entry, EntryHead } from '../../../model/entry.ts'
import type { Operation } from '../../../model/operation.ts'
import type { KeptFile, Recorded, SessionText, Settings } from '../../../ports/store.ts'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import { headOf, take } from '../../disk/head-change.ts'
import { decodeText } from '../../disk/reading.ts'
import { FileCatalogue, nameOf, placeOf } from '../file-catalogue.ts'
import { settingsInFrame } from '../follower.ts'
import type { OneFile } from '../one-file.ts'
import type { Scanned } from './frame-scan.ts'
import { isLineProved } from './proved-line.ts'

type Frame = Extract<Scanned, { is: 'frame' }>

export const SAVE = 'Take back a backup with keepsake restore; or save what can be read with: keepsake doctor --fix'
/** How a frame of each type is called in a sentence. */
const WHAT: Readonly<Record<Frame['head']['type'], string>> = {
  sett: 'the settings',
  base: 'what was there when the past begins',
  chng: 'a change',
  sess: 'a part of a session',
  file: 'a file that came with a move',
  derv: 'derived data',
  cata: 'the catalogue',
}

export class Remains {
  readonly #file: OneFile
  losses: Finding[] = []
  settings: Settings | undefined
  /** As the frames so far leave them. */
  entries: Map<string, Entry> = new Map()
  /** From when on the past is known, and what was there then. */
  since: string | undefined
  base: readonly Entry[] = []
  /** Up to the first change that is lost. */
  readonly recorded: Recorded[] = []
  /** Of the last change that was read. */
  number = 0
  nextSeq = 1
  /** Changes, whether they could be told one by one or not. */
  changes = 0
  sessions: Map<string, { readonly scope: string; readonly key: string; readonly parts: Uint8Array[] }> = new Map()
  files: Map<string, KeptFile> = new Map()
  /** As they were where the past breaks off. */
  atBreak: ReadonlyMap<string, Entry> | undefined
  isBaseLost = false
  #isDamaged = false
  /** Since the last one that could be read: those that were told already. */
  #unreadChanges = 0
  /** The catalogue was read: what follows came after it. */
  #isTail = false

  constructor(file: OneFile) {
    this.#file = file
  }

  take(scanned: Scanned): void {
    if (scanned.is === 'unknown') {
      this.#lose('damaged-record', scanned.at, `${scanned.bytes} bytes can't be read; what they were is not known`)
      this.#breakOff()
      return
    }
    if (!scanned.isWhole) {
      this.#damaged(scanned, isLineProved(scanned.head, scanned.payload))
      return
    }
    try {
      this.#whole(scanned)
    } catch (error) {
      // Its checksum is right, and no program of ours wrote it.
      if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
      this.#damaged(scanned, false)
    }
  }

  #damaged(frame: Frame, isProved: boolean): void {
    const { head, at, payload } = frame
    if (head.type === 'derv') {
      const hint = 'Harmless: it is made anew when it is wanted.'
      this.losses.push(finding('damaged-derived', '.', `derived data is damaged (byte ${at})`, hint))
      return
    }
    const code = head.type === 'cata' ? 'damaged-catalogue' : 'damaged-record'
    this.#lose(code, at, `${WHAT[head.type]} can't be read${this.#about(head.type, payload, isProved)}`)
    if (head.type === 'base') this.isBaseLost = true
    if (head.type !== 'base' && head.type !== 'chng') return
    this.#breakOff()
    if (isProved && this.#tookWhatIsWhole(frame)) return
    if (head.type === 'chng') this.#unreadChanges++
  }

  /** `false`: its line is right, and not ours. */
  #tookWhatIsWhole(frame: Frame): boolean {
    try {
      this.#takeWhatIsWhole(frame)
      return true
    } catch (error) {
      if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
      return false
    }
  }

  /** The line is right: of the texts behind it, those that are what it says. */
  #takeWhatIsWhole({ head, at, payload }: Frame): void {
    const begin = at + FRAME_BYTES
    const textAt = ({ offset, length, crc }: TextPlace): string | undefined => {
      const bytes = payload.subarray(offset - begin, offset - begin + length)
      return bytes.length === length && crc32(bytes) === crc ? decodeText(bytes) : undefined
    }
    const line = this.#placeOf(begin)
    if (head.type === 'base') {
      const { heads, places } = decodeBase(payload, line)
      for (const [index, entry] of heads.entries()) {
        const content = places[index] && textAt(places[index])
        if (content === undefined)
          this.#lose('lost-text', at, `the text of the ${entry.kind} ${nameOf(entry)} can't be read`)
        else this.#put({ ...entry, content })
      }
      return
    }
    const { change, places } = decodeChange(payload, line)
    const whole = change.operations.map((operation, index) => {
      const place = places[index]
      const content = place && textAt(place)
      if (!place) return operation
      if (content !== undefined) return { ...operation, content } as Operation // one that brings a text
      this.#lose(
        'lost-text',
        place.offset,
        `the text that change ${change.number} gave ${this.#called(operation)} can't be read`,
      )
      return undefined
    })
    const kept = whole.flatMap((operation, index) => (operation ? [{ operation, set: change.set[index] ?? {} }] : []))
    take(this.entries, { operations: kept.map(({ operation }) => operation), set: kept.map(({ set }) => set) })
    this.number = change.number
  }

  /** What a damaged frame was about, or may have been: for people to look at. */
  #about(type: Frame['head']['type'], payload: Uint8Array, isProved: boolean): string {
    const perhaps = isProved ? ':' : '; perhaps'
    const place = this.#placeOf(0)
    try {
      if (type === 'sess') return `${perhaps} "${decodeSession(payload, place).key}"`
      if (type === 'file') return `${perhaps} ${decodeKeptFile(payload, place).path}`
      if (type !== 'chng') return ''
      const { number, operations } = decodeChange(payload, place).change
      const names = new Set(operations.map((operation) => this.#called(operation)))
      return `${perhaps} change ${number}, of ${[...names].join(', ')}`
    } catch {
      return '' // not even its line
    }
  }

  #called(operation: Operation): string {
    const { id = '' } = operation
    const known = this.entries.get(id)
    if (known) return nameOf(known)
    return operation.op === 'add' && operation.name ? `"${operation.name}" (${id})` : id
  }

  #whole({ head, at, payload }: Frame): void {
    const begin = at + FRAME_BYTES
    const line = this.#placeOf(begin)
    switch (head.type) {
      case 'sett':
        this.settings = settingsInFrame(decodeSettings(payload, line), this.#file.path)
        break
      case 'base':
        this.#takeBase(payload, line)
        break
      case 'chng':
        this.#takeChange(decodeChange(payload, line, { texts: true }).change, at)
        break
      case 'sess': {
        const { scope, key, place } = decodeSession(payload, line)
        this.#addTo(scope, key, payload.subarray(place.offset - begin))
        break
      }
      case 'file': {
        const { path, entries, place } = decodeKeptFile(payload, line)
        this.files.set(path, { path, entries, bytes: payload.slice(place.offset - begin) })
        break
      }
      case 'cata':
        this.#takeCatalogue(payload, at)
        break
      case 'derv':
        break
    }
  }

  #placeOf(begin: number): PayloadPlace {
    return { path: this.#file.path, at: begin }
  }

  #takeBase(payload: Uint8Array, line: PayloadPlace): void {
    const { since, entries } = decodeBase(payload, line)
    const all = entries()
    this.since = since
    this.base = [...this.base, ...all]
    for (const entry of all) this.#put(entry)
  }

  #takeChange(change: ChangeRecord, at: number): void {
    const { set: _, ...told } = change
    // Numbers may jump in a past that was moved here, but never behind the catalogue.
    if (this.number > 0 && change.number !== this.number + 1 && (this.#isTail || this.#isDamaged)) {
      const missing = change.number - this.number - 1
      const which = missing === 1 ? `change ${this.number + 1}` : `changes ${this.number + 1} to ${change.number - 1}`
      if (missing > this.#unreadChanges) this.#lose('lost-change', at, `${which} can't be read`)
      this.#breakOff()
    }
    const touched = take(this.entries, change)
    for (const { after } of touched) if (after) this.nextSeq = Math.max(this.nextSeq, after.seq + 1)
    this.number = change.number
    this.#unreadChanges = 0
    this.changes++
    if (!this.atBreak) this.recorded.push({ change: told, touched })
  }

  /** What it tells is the truth of its moment where frames before it are lost; where none are, it must agree with them. */
  #takeCatalogue(payload: Uint8Array, at: number): void {
    let catalogue: FileCatalogue
    try {
      const settings = this.settings ?? ({} as Settings) // it only hands them on
      catalogue = FileCatalogue.decoded(settings, payload, this.#placeOf(at + FRAME_BYTES))
      // Parsed when they are asked for: here, so that what is not ours shows before any of it counts.
      for (const _ of catalogue.heads());
      for (const _ of catalogue.sessions());
    } catch (error) {
      if (!isKeepsakeError(error) || error.code !== 'DAMAGED') throw error
      this.#lose('damaged-catalogue', at, "the catalogue can't be understood")
      return
    }
    this.#isTail = true
    this.nextSeq = Math.max(this.nextSeq, catalogue.nextSeq)
    const isDamaged = this.#isDamaged
    if (!isDamaged) this.#compare(catalogue, at)
    this.number = Math.max(this.number, catalogue.number)
    if (!isDamaged) return
    // It knows which texts count, and so which of those that are lost are missed.
    this.losses = this.losses.filter(({ code }) => code !== 'lost-text')
    this.#takeEntries(catalogue)
    this.#takeSessions(catalogue)
    for (const [path, frame] of catalogue.files) {
      if (!this.files.has(path))
        this.#lose('lost-file', frame, `the file ${path}, which came with a move, can't be read`)
    }
  }

  #takeEntries(catalogue: FileCatalogue): void {
    this.entries = new Map()
    for (const head of catalogue.heads()) {
      const place = catalogue.placeOf(head.id)
      const bytes = this.#file.proved(place)
      const content = bytes && decodeText(bytes)
      if (content !== undefined) this.#put({ ...head, content })
      else this.#lose('lost-text', place.offset, `the text of the ${head.kind} ${nameOf(head)} can't be read`)
    }
  }

  #takeSessions(catalogue: FileCatalogue): void {
    this.sessions = new Map()
    for (const { scope, key, extents } of catalogue.sessions()) {
      for (const extent of extents) {
        const bytes = this.#file.proved(placeOf(extent))
        if (bytes) this.#addTo(scope, key, bytes)
        else
          this.#lose('lost-session', extent[0], `${extent[1]} bytes of the session "${key}" of ${scope} can't be read`)
      }
    }
  }

  #compare(catalogue: FileCatalogue, at: number): void {
    const differing = [...catalogue.heads()].filter((head) => !isAlike(head, this.entries.get(head.id)))
    // Where all of the past is cut off, no change tells a number.
    const isUpToDate = this.number === 0 || catalogue.number === this.number
    if (differing.length === 0 && catalogue.size === this.entries.size && isUpToDate) return
    const which = differing.slice(0, 3).map(nameOf).join(', ')
    const told = which === '' ? `${catalogue.size} entries for ${this.entries.size}` : `of ${which}`
    this.#lose('damaged-catalogue', at, `the catalogue does not say what the changes come to (${told})`)
  }

  #breakOff(): void {
    this.#isDamaged = true
    this.atBreak ??= new Map(this.entries)
  }

  #put(entry: Entry): void {
    this.entries.set(entry.id, entry)
    this.nextSeq = Math.max(this.nextSeq, entry.seq + 1)
  }

  #addTo(scope: string, key: string, bytes: Uint8Array): void {
    const known = this.sessions.get(`${scope}\0${key}`) ?? { scope, key, parts: [] }
    known.parts.push(bytes.slice())
    this.sessions.set(`${scope}\0${key}`, known)
  }

  #lose(code: Finding['code'], at: number, problem: string): void {
    this.#isDamaged ||= code === 'damaged-record'
    this.losses.push(finding(code, '.', `${problem} (byte ${at})`, SAVE))
  }

  /** By scope, then by key. */
  *transcripts(): Generator<SessionText> {
    for (const [, { scope, key, parts }] of [...this.sessions].sort(([a], [b]) => (a < b ? -1 : 1))) {
      yield { scope, key, text: new Uint8Array(Buffer.concat(parts)) }
    }
  }
}

function isAlike(head: EntryHead, entry: Entry | undefined): boolean {
  return entry !== undefined && JSON.stringify(sorted(head)) === JSON.stringify(sorted(headOf(entry)))
}

function sorted(head: EntryHead): object {
  return Object.fromEntries(Object.entries(head).sort(([a], [b]) => (a < b ? -1 : 1)))
}
