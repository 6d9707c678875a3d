/**
 * Keeps a catalogue in step with the journal: the checkpoint and what came after it at first, then only what was added.
 * Reading only. Another process may cut, start over or replace the journal at any time; then it is read anew, and may be the
 * journal of another workspace: the folder was deleted and made anew, or another one moved to its place.
 */

import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { JournalHeader } from '../../codec/journal-record.ts'
import { ForeignError } from '../../errors.ts'
import { wasLeftInOrder } from '../disk/lock.ts'
import { thisProcess } from '../disk/owner.ts'
import { statFile } from '../disk/reading.ts'
import { Catalog } from './catalog.ts'
import { checkpointPath, readCheckpoint } from './checkpoint.ts'
import type { Journal, Position } from './journal.ts'

const MOST_LOADS = 10

/** Where we are in the journal, and whether what it says of the files can be trusted. */
export interface JournalState {
  epoch: string
  position: Position
  inode: number
  boot: string
  /** Copied, synced or damaged: files win over everything, and the next write starts a new epoch. */
  foreign: boolean
  tailRecords: number
  tailBytes: number
  checkpointBytes: number
}

export class Follower {
  readonly #journal: Journal
  readonly #stateFolder: string
  readonly #whose: () => string
  /** Whose the journal must be. */
  #workspaceId = ''
  catalog: Catalog = new Catalog()
  /** `undefined` until there is a journal. */
  state: JournalState | undefined
  #loaded = false

  /** `whose` tells the id of the workspace, and is asked whenever the journal is read anew. */
  constructor(journal: Journal, stateFolder: string, whose: () => string) {
    this.#journal = journal
    this.#stateFolder = stateFolder
    this.#whose = whose
  }

  startOver(): void {
    this.#loaded = false
  }

  /** `anew`: the catalogue is another one than before. */
  catchUp(): 'on' | 'anew' {
    const on = this.#loaded && this.#follow()
    if (!on) this.#load()
    this.#proveFiles()
    return on ? 'on' : 'anew'
  }

  /** A file that is as it was before the last turn was not forgotten by a crash, but put back by a hand: the lock tells. */
  #proveFiles(): void {
    const { unproved } = this.catalog
    if (unproved.size === 0 || this.state?.boot !== thisProcess().boot) return
    if (wasLeftInOrder(join(this.#stateFolder, 'lock'))) unproved.clear()
  }

  /** A writer that folds or purges the past leaves a new checkpoint, and then takes away what the one before it goes by. */
  #load(): void {
    this.#workspaceId = this.#whose()
    for (let tries = 1; ; tries++) {
      const before = this.#checkpointStats()
      const fits = this.#loadOnce()
      const after = fits ? undefined : this.#checkpointStats()
      const isSame = before?.ino === after?.ino && before?.ctimeMs === after?.ctimeMs
      if (fits || isSame || tries === MOST_LOADS) return
    }
  }

  #checkpointStats(): Stats | undefined {
    return statFile(checkpointPath(this.#stateFolder))
  }

  /** Whether checkpoint and journal fit together. */
  #loadOnce(): boolean {
    const checkpoint = readCheckpoint(this.#stateFolder)
    const segments = this.#journal.segments()
    this.catalog = checkpoint?.catalog ?? new Catalog()
    this.state = undefined
    this.#loaded = true
    const start = checkpoint?.position ?? { segment: segments[0] ?? '', offset: 0 }
    for (const segment of segments) {
      if (segment < start.segment) continue
      this.#take(segment, segment === start.segment ? start.offset : 0)
      // Behind a damage nothing can be told from its records alone.
      if ((this.state as JournalState | undefined)?.foreign) break
    }
    if (this.state && checkpoint) (this.state as JournalState).checkpointBytes = checkpoint.bytes // set by #take
    const lost = checkpoint !== undefined && !segments.includes(checkpoint.position.segment)
    const fits = !lost && !(this.state as JournalState | undefined)?.foreign
    if (!fits) this.catalog.distrustFiles()
    return fits
  }

  /** Reads a segment on from an offset. */
  #take(segment: string, offset: number): void {
    const part = this.#journal.read(segment, offset)
    if (!part) return
    const first = part.lines[0]
    const header = first && 'header' in first ? first.header : offset > 0 ? this.#journal.headerOf(segment) : undefined
    if (!header) return
    this.#refuseOtherWorkspace(header, segment)
    const me = thisProcess()
    const sameBoot = header.boot === me.boot
    let records = 0
    let gap = part.size < offset
    for (const line of part.lines) {
      if (!('record' in line)) continue
      gap ||= line.record.number !== this.catalog.number + 1
      if (gap) break
      this.catalog.replay(line.record, header.epoch, sameBoot)
      records++
    }
    const copied = header.host !== me.host || header.inode !== part.inode
    const foreign = copied || gap || part.rest === 'damaged'
    this.state = {
      epoch: header.epoch,
      position: { segment, offset: offset + part.length },
      inode: part.inode,
      boot: header.boot,
      foreign,
      tailRecords: (this.state?.tailRecords ?? 0) + records,
      tailBytes: (this.state?.tailBytes ?? 0) + part.length,
      checkpointBytes: this.state?.checkpointBytes ?? 0,
    }
  }

  #refuseOtherWorkspace(header: JournalHeader, segment: string): void {
    if (header.workspace === this.#workspaceId) return
    throw new ForeignError(
      this.#journal.pathOf(segment),
      `this journal belongs to workspace ${header.workspace}, not to ${this.#workspaceId}`,
    )
  }

  /** Reads what was added; `false` when the journal is no longer the one that we know. */
  #follow(): boolean {
    if (!this.state) return this.#journal.segments().length === 0
    const { segment, offset } = this.state.position
    const stats = statFile(this.#journal.pathOf(segment))
    if (!stats || stats.ino !== this.state.inode || stats.size < offset) return false
    if (stats.size > offset) this.#take(segment, offset)
    for (const next of this.#journal.segmentsAfter(segment)) this.#take(next, 0)
    return true
  }
}
