/**
 * Keeps a catalogue in step with the file: header, catalogue and the frames behind it at first, then only what was added. Reading
 * only. Another process may append, cut what nobody was promised, or put another file in this one's place at any time.
 * Invariant: a frame before the acknowledged end that is not whole is damage and told; behind it, it is not there yet.
 */
import type { Stats } from 'node:fs'
import { crc32 } from 'node:zlib'
import { decodeFrameHead, FRAME_BYTES, type FrameHead } from '../../codec/one-file/frame.ts'
import { type DecodedHeader, damagedFile, HEADER_BYTES, type Slot, type SlotName } from '../../codec/one-file/header.ts'
import { DERIVED_LINE_BYTES, decodeDerived } from '../../codec/one-file/named-bytes.ts'
import { decodeSettings } from '../../codec/one-file/settings.ts'
import type { Settings } from '../../ports/store.ts'
import { checkedSettings, type FoundSettings } from '../disk/checked-settings.ts'
import { statFile, uncounted } from '../disk/reading.ts'
import { FileCatalogue } from './file-catalogue.ts'
import { OneFile } from './one-file.ts'
import { ReadAhead } from './read-ahead.ts'

/** The file as far as it was read. */
export interface FollowedFile {
  readonly file: OneFile
  readonly catalogue: FileCatalogue
  readonly generation: Uint8Array
  /** Where the frames behind the catalogue begin. */
  readonly tail: number
  /** Where the next frame begins. */
  end: number
  slot: Slot
  nextSlot: SlotName
  /** One of the two slots can't be read. */
  problem: string | undefined
  /** Where the last frame ends that must not be lost. */
  keptEnd: number
  /** The head of the last frame, and where it is: what follows is only to be read while it is there. */
  last: { readonly at: number; readonly head: Uint8Array }
  /** Of the change that was last when somebody asked for a cursor, what tells it apart from others of its number. */
  tagged?: { readonly number: number; readonly tag: string }
}

export class FileFollower {
  readonly path: string
  readonly #welcome: (settings: Settings) => void
  /** Those that somebody may still read from, though another one is in their place. */
  readonly #opened = new Set<OneFile>()
  state: FollowedFile | undefined
  /** What lies behind this was written here and is not acknowledged: it is being synced, or it failed and is to be cut. */
  heldBack: number | undefined

  /** `welcome` throws when a file with these settings is not to be opened. */
  constructor(path: string, welcome: (settings: Settings) => void) {
    this.path = path
    this.#welcome = welcome
  }

  /** `undefined`: there is no file yet, and so nothing in it. */
  catchUp(): FollowedFile | undefined {
    const stats = statFile(this.path)
    if (stats && this.state && this.#follow(this.state, stats)) return this.state
    this.#replace(stats && this.#loaded())
    return this.state
  }

  #replace(state: FollowedFile | undefined): void {
    this.state?.file.release()
    for (const file of this.#opened) if (!file.isOpen) this.#opened.delete(file)
    if (state) this.#opened.add(state.file)
    this.state = state
    this.heldBack = undefined
  }

  /** A slot that is just being written looks like a damaged one for a moment: that takes a second look. */
  #loaded(): FollowedFile | undefined {
    const first = this.#load()
    if (!first || !isTailDoubtful(first)) return first
    first.file.release()
    const state = this.#load()
    if (!state || !isTailDoubtful(state)) return state
    state.file.release()
    throw damagedFile(this.path, 'a record in it is damaged, and a place that says how far it goes', state.end)
  }

  #load(): FollowedFile | undefined {
    const file = OneFile.open(this.path)
    if (!file) return undefined
    try {
      const header = file.header()
      // After the header: what that calls acknowledged is there for good.
      const size = file.size()
      const { end } = header.slot
      if (size < end) throw damagedFile(this.path, `it ends at byte ${size}, and ${end} were written`)
      const settings = settingsOf(file)
      this.#welcome(settings)
      const { head, payload, at } = file.frame(header.header.catalogue, uncounted)
      if (head.type !== 'cata') throw damagedFile(this.path, 'its catalogue is not where it should be', at)
      const tail = at + head.size
      const state: FollowedFile = {
        file,
        catalogue: FileCatalogue.decoded(settings, payload, { path: this.path, at: at + FRAME_BYTES }),
        generation: header.header.generation,
        tail,
        end: tail,
        slot: header.slot,
        nextSlot: header.nextSlot,
        problem: header.problem,
        keptEnd: tail,
        last: { at, head: file.bytes(at, FRAME_BYTES) },
      }
      this.#take(state, size)
      return state
    } catch (error) {
      file.release()
      throw error
    }
  }

  /** Reads what was added; `false` when it is no longer the file that we know. */
  #follow(state: FollowedFile, stats: Stats): boolean {
    const { file } = state
    if (!file.isSame(stats)) return false
    const header = file.header()
    if (Buffer.compare(header.header.generation, state.generation) !== 0) return false
    const size = file.size()
    if (size < state.end) return false
    if (Buffer.compare(file.bytes(state.last.at, FRAME_BYTES), state.last.head) !== 0) return false
    takeSlot(state, header)
    if (this.heldBack !== undefined && state.slot.end > this.heldBack) this.heldBack = undefined
    if (size > state.end || state.slot.end > state.end) this.#take(state, this.heldBack ?? size)
    return this.heldBack !== undefined || !isTailDoubtful(state)
  }

  /** Takes in what this process has written and synced itself. */
  took(state: FollowedFile, bytes: Uint8Array): void {
    const start = state.end
    for (let at = 0; at < bytes.length; ) {
      const head = headIn(bytes.subarray(at))
      if (typeof head === 'string') throw new Error('unreachable: we made it')
      const payload = bytes.subarray(at + FRAME_BYTES, at + FRAME_BYTES + head.length)
      this.#takeFrame(state, { head, at: start + at, payload })
      state.last = { at: start + at, head: bytes.slice(at, at + FRAME_BYTES) }
      at += head.size
    }
  }

  #take(state: FollowedFile, size: number): void {
    const { file, slot } = state
    const reading = new ReadAhead(file)
    while (state.end < size) {
      const at = state.end
      const bytes = reading.bytes(at, FRAME_BYTES)
      const head = headIn(bytes)
      const isThere = typeof head !== 'string' && at + head.size <= size
      const payload = isThere ? payloadOf(reading, at, head) : undefined
      if (!isThere || !payload || !this.#takeFrame(state, { head, at, payload })) break
      state.last = { at, head: bytes.slice() }
    }
    if (state.end < slot.end) throw damagedFile(this.path, 'a record in it is damaged', state.end)
    if (state.end === slot.end && state.catalogue.number !== slot.number) {
      const { number } = state.catalogue
      throw damagedFile(this.path, `its last change is ${number}, and change ${slot.number} was acknowledged`)
    }
  }

  /** `false`: it can't follow what was there before. */
  #takeFrame(state: FollowedFile, { head, at, payload }: FoundFrame): boolean {
    const { catalogue } = state
    const begins = at + FRAME_BYTES
    switch (head.type) {
      case 'chng':
        if (!catalogue.takeChange(payload, begins, at)) return false
        break
      case 'sess':
        catalogue.takeSession(payload, begins)
        break
      case 'derv': {
        const derived = decodeDerived(payload, begins, crc32)
        if (derived) catalogue.derived.set(derived.key, derived.place)
        break
      }
      default:
        return false // a fold makes these, and nobody appends them
    }
    state.end = at + head.size
    if (head.type !== 'derv') state.keptEnd = state.end
    return true
  }

  close(): void {
    this.#replace(undefined)
    for (const file of this.#opened) file.close()
    this.#opened.clear()
  }
}

/**
 * One slot can't be read, and what lies behind the end that the other one tells is not whole. No crash leaves that: a slot is written
 * when the frames before it are whole and synced. So these may be frames that were acknowledged.
 */
function isTailDoubtful({ problem, end, file }: FollowedFile): boolean {
  return problem !== undefined && file.size() > end
}

interface FoundFrame {
  readonly head: FrameHead
  readonly at: number
  readonly payload: Uint8Array
}

function headIn(bytes: Uint8Array): FrameHead | 'torn' | 'damaged' {
  return decodeFrameHead(bytes, crc32)
}

/** `undefined` when it is not whole. Of derived bytes, which may be many and are checked when they are read, no more than the line. */
function payloadOf(reading: ReadAhead, at: number, head: FrameHead): Uint8Array | undefined {
  if (head.type === 'derv') return reading.bytes(at + FRAME_BYTES, Math.min(head.length, DERIVED_LINE_BYTES))
  const payload = reading.bytes(at + FRAME_BYTES, head.length)
  return payload.length === head.length && crc32(payload) === head.crc ? payload : undefined
}

function settingsOf(file: OneFile): Settings {
  const { head, payload } = file.frame(HEADER_BYTES)
  if (head.type !== 'sett') throw damagedFile(file.path, 'its settings are not where they should be', HEADER_BYTES)
  const found = decodeSettings(payload, { path: file.path, at: HEADER_BYTES + FRAME_BYTES })
  return settingsInFrame(found, file.path)
}

/** A checksum does not say who wrote them. */
export function settingsInFrame(found: FoundSettings, path: string): Settings {
  return checkedSettings(path, found, (problem) => damagedFile(path, `in its settings ${problem}`, HEADER_BYTES))
}

function takeSlot(state: FollowedFile, { slot, nextSlot, problem }: DecodedHeader): void {
  state.slot = slot
  state.nextSlot = nextSlot
  state.problem = problem
}
