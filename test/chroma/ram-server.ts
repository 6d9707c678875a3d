/** A server in RAM with stores on it, for tests of what several machines see of one memory; and what they do most. */
import type { Entry } from '../../src/model/entry.ts'
import type { Applied, Store } from '../../src/ports/store.ts'
import { type ChromaStore, storeOn } from '../../src/stores/chroma/store.ts'
import { ramConnection } from './ram-connection.ts'
import { RamShelf, type Request, type Troubles } from './ram-shelf.ts'
import { RamVectors } from './ram-vectors.ts'

const DAY_MS = 86_400_000

export class RamServer {
  readonly shelf: RamShelf = new RamShelf()
  /** The server and every machine have the same time. */
  nowMs: number = Date.parse('2026-03-14T09:26:53.589Z')

  /** Another machine, with its own way to the server. `asked` is called with every request. */
  store(troubles: Troubles = {}, asked: (request: Request) => void = () => undefined): ChromaStore {
    const before = async (request: Request): Promise<void> => {
      asked(request)
      await troubles.before?.(request)
    }
    const log = this.shelf.another({ ...troubles, before })
    const clock = (): number => this.nowMs
    return storeOn(ramConnection(log, new RamVectors(), clock), { clock, timezone: 'UTC', retentionDays: 90 })
  }

  pass(days: number): void {
    this.nowMs += days * DAY_MS
  }

  /** Ids of a kind of record, such as `c` for the log, without the generation; of a snapshot also without its tag. */
  idsOf(kind: string): string[] {
    return [...this.shelf.records.values()]
      .filter(({ labels }) => labels['kind'] === kind)
      .map(({ id }) => id.slice(id.indexOf('/') + 1).replace(/^([zb]\/\d+)\/.*/, '$1'))
  }
}

export function addNote(store: Store, name: string, content: string = name): Promise<Applied> {
  return store.apply({
    operations: [{ op: 'add', kind: 'note', scope: 'main', name, content }],
    origin: { by: 'hand' },
  })
}

export async function addNotes(store: Store, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) await addNote(store, `note ${n}`)
}

export async function entriesOf(store: Store): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of store.scan()) entries.push(entry)
  return entries
}

export async function namesOf(store: Store): Promise<(string | null)[]> {
  return (await store.heads()).map(({ name }) => name)
}
