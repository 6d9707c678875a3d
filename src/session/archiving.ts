/**
 * The one change that makes an archive, with all that is to be written beside it. It is made once: who comes second is told so, and
 * nothing of theirs is written. What others wrote meanwhile that this was worked out on is no reason to give up, but to work it out
 * again. Raw archives that it makes needless go with it, so that its undo brings them back.
 */
import { isKeepsakeError } from '../errors.ts'
import type { AddOperation, Expect, Operation } from '../model/operation.ts'
import { instant } from '../model/time.ts'
import type { Applied, CallOptions } from '../ports/store.ts'
import { archiveMetadata, archiveNames, isFallback } from './archive.ts'
import type { SessionPlace } from './place.ts'
import { isConflict } from './races.ts'
import { type MarkerReason, replacedRecord, type Turn } from './records.ts'
import type { Beside, Summed } from './summary.ts'
import type { SessionState, Transcript } from './transcript.ts'

/** What an archive is made of. */
export interface Making {
  readonly state: SessionState
  readonly span: readonly Turn[]
  readonly summed: Summed
  readonly reason: MarkerReason
}

export interface Archived extends Applied {
  readonly id: string
}

const MOST_RACES = 20
const NOTHING: Beside = { operations: [], expect: {} }

export class Archiving {
  readonly #place: SessionPlace
  readonly #transcript: Transcript
  /** Archives that the transcript knows to be replaced. */
  readonly #told = new Set<string>()

  constructor(place: SessionPlace, transcript: Transcript) {
    this.#place = place
    this.#transcript = transcript
  }

  /** `undefined`: another one has made it meanwhile. */
  async archive(making: Making, call: CallOptions): Promise<Archived | undefined> {
    const { agent, key, apply, store } = this.#place
    const { state, summed } = making
    const names = archiveNames(key, state.marker?.archiveName)
    let name = names.next().value
    let id: string | undefined = idIn(state)
    for (let races = 0; ; races++) {
      id = await this.#unused(id, making, call)
      if (id === undefined) return undefined
      const replaced = await this.#replaced(making, call)
      for (;;) {
        const holder = await store.resolve(agent, name, call)
        if (!holder || holder.id in replaced) break
        name = names.next().value
      }
      const beside = summed.beside ? await summed.beside({ id, name }) : NOTHING
      const removals = Object.keys(replaced).map((raw): Operation => ({ op: 'remove', id: raw }))
      const operations = [...removals, this.#addition(making, id, name), ...beside.operations]
      const origin = summed.origin ?? { by: 'agent', agent, session: key }
      const expect = { ...beside.expect, ...replaced, [id]: null }
      try {
        return { ...(await apply({ operations, origin }, { ...call, expect })), id }
      } catch (error) {
        // Another one made it, the name was taken, or what stands beside it was rewritten, since this looked.
        const raced = isConflict(error) || (isKeepsakeError(error) && error.code === 'NAME_TAKEN')
        if (!raced || races >= MOST_RACES) throw error
        id = await this.#freeId(id, making, call)
        if (id === undefined) return undefined
      }
    }
  }

  #addition({ span, summed, reason }: Making, id: string, name: string): AddOperation {
    const { agent, key } = this.#place
    const { text: content, metadata, raw } = summed
    const own = archiveMetadata(key, span, reason)
    return {
      op: 'add',
      scope: agent,
      kind: 'archive',
      id,
      name,
      content,
      metadata: { ...metadata, ...own, ...(raw ? { raw } : {}) },
    }
  }

  /** Where the history tells of an archive that is not there any more, as of one that was forgotten, no other one gets its id. */
  async #unused(id: string, making: Making, call: CallOptions): Promise<string | undefined> {
    const { store, agent } = this.#place
    for (let free: string | undefined = id; free !== undefined; free = await this.#nextId(making, call)) {
      const told = await store.heads({ scopes: [agent], kinds: ['history'] }, call)
      const isTold = told.some(({ metadata }) => metadata['archive'] === free)
      if (!isTold || (await store.get(free, call))) return free
      await this.#tell([free], call)
    }
    return undefined
  }

  /** Raw archives of this session that begin in the span, as they are. Before they go, the transcript keeps that no archive gets their ids again. */
  async #replaced({ span }: Making, call: CallOptions): Promise<Expect> {
    const { store, agent, key } = this.#place
    const turns = new Set(span.map((turn) => turn.id))
    const heads = await store.heads({ scopes: [agent], kinds: ['archive'] }, call)
    const raws = heads.filter((head) => {
      const { session, first } = head.metadata
      return isFallback(head) && session === key && typeof first === 'string' && turns.has(first)
    })
    await this.#tell(
      raws.map(({ id }) => id),
      call,
    )
    return Object.fromEntries(raws.map(({ id, revision }) => [id, revision]))
  }

  async #tell(archives: readonly string[], call: CallOptions): Promise<void> {
    const { sessions, agent, key, clock } = this.#place
    const untold = archives.filter((id) => !this.#told.has(id))
    if (untold.length === 0) return
    const at = instant(clock())
    const records = untold.map((id) => replacedRecord(at, id))
    await sessions.append(agent, key, records, call)
    for (const id of untold) this.#told.add(id)
  }

  /** The id to try again with: what was made of these turns meanwhile is the archive, unless it stands for nothing and this one does. */
  async #freeId(id: string, making: Making, call: CallOptions): Promise<string | undefined> {
    const { summed, reason } = making
    const other = await this.#place.store.get(id, call)
    if (!other) return id
    const isOnlyRaw = summed.raw === true && reason !== 'new'
    return isFallback(other) && !isOnlyRaw ? this.#nextId(making, call) : undefined
  }

  /** `undefined`: the turns are not the first live ones any more. */
  async #nextId({ span }: Making, call: CallOptions): Promise<string | undefined> {
    const now = await this.#transcript.settled(call)
    return now.turns[0]?.id === span[0]?.id ? now.archiveId : undefined
  }
}

function idIn({ archiveId: id }: SessionState): string {
  if (id === undefined) throw new Error('unreachable: there are turns')
  return id
}
