/**
 * What stands for the turns that a marker covers: its archive, and where that is missing, why. One that an undo took back stands for
 * nothing; for one that was forgotten, or that can't be read, there is a line that says so.
 */
import { visibleChanges } from '../history/log.ts'
import type { Entry } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { instant } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'
import type { SessionPlace } from './place.ts'
import type { Marker } from './records.ts'

export interface ShownArchive {
  readonly id: string
  readonly name: string
  readonly content: string
  /** It was forgotten, or can't be found or read; the content says which. */
  readonly missing?: true
}

type Loss = 'was forgotten' | "can't be found or read"

export class Archives {
  readonly #place: SessionPlace
  /** Those that no undo removed. */
  readonly #lost = new Map<string, Loss>()

  constructor(place: SessionPlace) {
    this.#place = place
  }

  async of(marker: Marker, options: CallOptions): Promise<ShownArchive | 'undone' | undefined> {
    const { archiveId: id, archiveName: name = '', reason } = marker
    if (id === undefined || reason === 'new') return undefined
    const entry = await this.there(id, options)
    if (entry) return shownOf(entry)
    const loss = await this.#lossOf(id, options)
    if (loss === 'undone') return loss
    const turns = marker.turns === 1 ? '1 earlier turn' : `${marker.turns} earlier turns`
    return { id, name, content: `[${turns} stood here as the archive "${name}", which ${loss}.]`, missing: true }
  }

  async there(id: string, options: CallOptions): Promise<Entry | undefined> {
    const { store, agent, clock } = this.#place
    const entry = await store.get(id, options)
    const isOurs = entry?.kind === 'archive' && entry.scope === agent
    return isOurs && !isExpired(entry, instant(clock())) ? entry : undefined
  }

  /** Looked up once: it takes all of the past. */
  async #lossOf(id: string, options: CallOptions): Promise<Loss | 'undone'> {
    const known = this.#lost.get(id)
    if (known) return known
    const { store, agent } = this.#place
    const changes = visibleChanges(await store.history(options), [agent]).flatMap(({ change, touched, undoneBy }) => {
      const own = touched.find((one) => one.id === id)
      return own ? { ...own, isUndo: change.reverts !== undefined, undoneBy } : []
    })
    const made = changes.findLast(({ isUndo, before, after }) => !isUndo && !before && after)
    if (made?.undoneBy !== undefined) return 'undone'
    const last = changes.at(-1)
    const loss: Loss = last?.before && !last.after ? 'was forgotten' : "can't be found or read"
    this.#lost.set(id, loss)
    return loss
  }
}

export function shownOf({ id, name, content }: Entry): ShownArchive {
  return { id, name: name ?? '', content }
}
