/**
 * What stands for the turns that a marker covers: its archive, and where that is missing, why. One that an undo took back stands for
 * nothing; for one that was forgotten, or that can't be read, there is a line that says so.
 */
import type { Entry, EntryHead } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import type { Change } from '../model/operation.ts'
import { instant } from '../model/time.ts'
import type { CallOptions, LoggedChange, Touched } from '../ports/store.ts'
import { isFallback } from './archive.ts'
import type { SessionPlace } from './place.ts'
import type { Marker } from './records.ts'

export interface ShownArchive {
  readonly id: string
  readonly name: string
  readonly content: string
  /** It was forgotten, or can't be found or read; the content says which. */
  readonly missing?: true
}

/** What happened to archives that are gone, by their ids, oldest first. */
export type ChangesById = ReadonlyMap<string, readonly ChangeOfOne[]>

type ChangeOfOne = Pick<Touched, 'before' | 'after'> & Pick<LoggedChange, 'change' | 'undoneBy'>

export type LookUp = (options: CallOptions) => Promise<ChangesById>

type Loss = 'was forgotten' | "can't be found or read"

/**
 * Why an archive is not there, from what happened to it. An undo of an undo does again what the first one took back. Where its making
 * is undone together with its removal, as that of a raw archive which another one replaced, the undo itself has not touched it.
 */
export function lossFrom(changes: readonly ChangeOfOne[]): Loss | 'undone' {
  const last = changes.at(-1)
  if (!last?.before || last.after) return "can't be found or read"
  const making = changes.findLast(({ before, after, change }) => !before && after && !change.reverts)
  if (making?.undoneBy !== undefined) return 'undone'
  let cause: ChangeOfOne | undefined = last
  while (cause?.change.reverts) {
    const { reverts, number }: Change = cause.change
    cause = changes.find(({ change }) => change.number < number && reverts?.includes(change.number))
  }
  return cause?.after && !cause.before ? 'undone' : 'was forgotten'
}

export class Archives {
  readonly #place: SessionPlace
  readonly #past: LookUp
  /** Those that no undo removed. */
  readonly #lost = new Map<string, Loss>()

  /** `past`: where many are looked at, as it was read for all. */
  constructor(place: SessionPlace, past: LookUp = (options) => archiveChanges(place, options)) {
    this.#place = place
    this.#past = past
  }

  async of(marker: Marker, options: CallOptions): Promise<ShownArchive | 'undone' | undefined> {
    const { archiveId: id, archiveName: name = '', reason } = marker
    if (id === undefined) return undefined
    const entry = await this.there(id, options)
    const loss = !entry ? await this.#lossOf(id, options) : isFallback(entry) ? 'undone' : undefined
    if (loss === 'undone') return loss
    if (reason === 'new') return undefined
    if (entry) return shownOf(entry)
    const turns = marker.turns === 1 ? '1 earlier turn' : `${marker.turns} earlier turns`
    return { id, name, content: `[${turns} stood here as the archive "${name}", which ${loss}.]`, missing: true }
  }

  async there(id: string, options: CallOptions): Promise<Entry | undefined> {
    const { store, agent, clock } = this.#place
    const entry = await store.get(id, options)
    const isOurs = entry?.kind === 'archive' && entry.scope === agent
    return isOurs && !isExpired(entry, instant(clock())) ? entry : undefined
  }

  /** Looked up once. */
  async #lossOf(id: string, options: CallOptions): Promise<Loss | 'undone'> {
    const known = this.#lost.get(id)
    if (known) return known
    const loss = lossFrom((await this.#past(options)).get(id) ?? [])
    if (loss !== 'undone') this.#lost.set(id, loss)
    return loss
  }
}

export function shownOf({ id, name, content }: Entry): ShownArchive {
  return { id, name: name ?? '', content }
}

/** All archives of the agent, expired ones too. This reads one folder; looking up a single missing id would read every file. */
export function archiveHeads(
  { store, agent }: Pick<SessionPlace, 'store' | 'agent'>,
  options: CallOptions,
): Promise<readonly EntryHead[]> {
  return store.heads({ scopes: [agent], kinds: ['archive'] }, options)
}

/** What happened to the archives that are gone. */
export async function archiveChanges(
  { store, agent }: Pick<SessionPlace, 'store' | 'agent'>,
  options: CallOptions,
): Promise<ChangesById> {
  const scopes = [agent]
  const gone = await store.gone({ scopes, kinds: ['archive'] }, options)
  const byId = new Map<string, ChangeOfOne[]>(gone.map(({ id }) => [id, []]))
  const changes = gone.length === 0 ? [] : await store.changes({ scopes, entries: [...byId.keys()] }, options)
  for (const { touched, ...logged } of changes.toReversed()) {
    for (const { id, ...states } of touched) byId.get(id)?.push({ ...logged, ...states })
  }
  return byId
}
