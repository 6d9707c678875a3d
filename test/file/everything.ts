/** All that a memory says, as plain data, each part on its own: what two memories are compared by. */
import { isKeepsakeError, type KeepsakeError } from '../../src/errors.ts'
import type { Movable, Store } from '../../src/ports/store.ts'

export type Part = 'settings' | 'entries' | 'heads' | 'past' | 'feed' | 'sessions' | 'pages' | 'files' | 'documents'

/** Plain JSON, so that it can be written to a file and compared with one. */
type Plain = unknown

type Read = (store: Store & Movable) => Promise<Plain>

const READS: Readonly<Record<Part, Read>> = {
  settings: (store) => store.settings(),
  entries: (store) => all(store.scan()),
  heads: (store) => store.heads(),
  past: async (store) => {
    const { since, entries, changes } = await store.history()
    return { since, entries, changes: [...changes] }
  },
  feed: async (store) => {
    const { changes, cursor } = await store.changes()
    return { changes, number: cursor.number }
  },
  sessions: async (store) => {
    const texts = await all((await store.image()).sessions())
    return texts.map(({ scope, key, text }) => ({ scope, key, text: Buffer.from(text).toString() }))
  },
  pages: async (store) => {
    const keys = (await store.sessions.list('main')).map(({ key }) => key)
    return Promise.all(keys.map(async (key) => (await store.sessions.readBefore('main', key))?.records))
  },
  files: async (store) => {
    const files = await all((await store.image()).files())
    return files.map(({ path, bytes, entries }) => ({ path, text: Buffer.from(bytes).toString(), entries }))
  },
  documents: (store) => store.document('directives/memory.md'),
}

export const PARTS: readonly Part[] = Object.keys(READS) as Part[]

export type Told = { readonly [part in Part]: Plain }

export async function everythingOf(store: Store & Movable): Promise<Told> {
  const parts = await Promise.all(Object.entries(READS).map(async ([part, read]) => [part, plain(await read(store))]))
  return Object.fromEntries(parts) as Told // one for each of them
}

/** Each part, or why it can't be told. What is no error of ours is thrown. */
export async function partsOf(store: Store & Movable): Promise<Map<Part, Plain | KeepsakeError>> {
  const told = new Map<Part, Plain | KeepsakeError>()
  for (const part of PARTS) {
    try {
      told.set(part, plain(await READS[part](store)))
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      told.set(part, error)
    }
  }
  return told
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

function plain(value: unknown): Plain {
  return value === undefined ? null : JSON.parse(JSON.stringify(value))
}
