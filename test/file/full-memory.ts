/** Makes a memory in one file with some of everything, and reads everything in a memory, for comparison. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Memory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { collected } from '../../src/testing/images.ts'

export const DERIVED = 'index'
const DERIVED_BYTES = Buffer.from('derived '.repeat(2000))
const DOCUMENT = 'directives/memory.md'

/** Entries, aliases, removed ones, an undo, two agents, sessions, documents and odd files of a folder, derived bytes; closed. */
export async function makeFullMemory(path: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-full-'))
  let ms = Date.parse('2026-03-14T09:00:00.000Z')
  const clock = (): number => (ms += 1000)
  try {
    const folder = filesystemStore({ root, clock, timezone: 'UTC' })
    await new Memory(folder, 'main', clock).remember('from the folder', { name: 'Folder note', aliases: ['fn'] })
    put(root, DOCUMENT, 'Keep what matters.\n')
    put(root, 'agents/main/entries/odd.md', '---\n# a comment\nname:   Odd\n---\n\nwritten by a person\n\n')
    await folder.absorb()
    const store = fileStore({ path, clock })
    const image = await folder.image()
    await store.adopt(image)
    await image.close()
    await folder.close()
    await writeMuch(store, clock)
    await store.close()
  } finally {
    rmSync(root, { recursive: true })
  }
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

async function writeMuch(store: Store, clock: () => number): Promise<void> {
  const [main, ada] = ['main', 'ada'].map((agent) => new Memory(store, agent, clock))
  if (!main || !ada) throw new Error('unreachable')
  for (let n = 0; n < 12; n++) {
    await main.remember(`Note ${n}: ${'what was said, '.repeat(n * 3)}`, { name: `Note ${n}`, aliases: [`n${n}`] })
    await ada.remember(`something of ${n}`, n % 2 === 0 ? { key: `key ${n}` } : {})
    await store.sessions.append(n % 2 === 0 ? 'main' : 'ada', `chat ${n % 3}`, [{ n, text: 'turn '.repeat(n) }])
  }
  await main.learnFact('Postgres', 'Port 5432.')
  await main.reflect('Be brief.')
  await main.rename('Note 3', 'Renamed')
  await main.forget('Note 4')
  await main.forget('Note 5')
  await main.undo()
  await main.remember('y'.repeat(9000), { name: 'Long' })
  await store.derived.write(DERIVED, DERIVED_BYTES)
}

/** Everything that a store answers, as one value. Derived bytes may be missing, since nothing is lost with them. */
export async function readAll(
  store: Store & { image(): ReturnType<ReturnType<typeof fileStore>['image']> },
): Promise<unknown> {
  const image = await store.image()
  const whole = await collected(image).finally(() => image.close())
  const ids = [...new Set([...whole.entries, ...whole.base].map(({ id }) => id))]
  const scopes = ['main', 'ada', 'world']
  const derived = await store.derived.read(DERIVED)
  return {
    ...whole,
    settings: await store.settings(),
    heads: await store.heads(),
    byScope: await Promise.all(scopes.map((one) => store.heads({ scopes: [one] }))),
    byKind: await store.heads({ kinds: ['note'] }),
    changes: await store.changes(),
    changesByScope: await Promise.all(scopes.map((one) => store.changes({ scopes: [one] }))),
    undone: await store.changes({ undone: true }),
    versions: await store.versions(ids),
    early: await store.stateAt(whole.number - 3),
    gone: await store.gone(),
    feed: (await store.feed()).changes,
    byName: await Promise.all(
      whole.entries.flatMap(({ scope, name, aliases }) =>
        name === null ? [] : [name, ...aliases].map((handle) => store.resolve(scope, handle)),
      ),
    ),
    byKey: await Promise.all(
      whole.entries.flatMap(({ scope, key }) => (key === undefined ? [] : store.resolveKey(scope, key))),
    ),
    byId: await Promise.all(ids.map((id) => store.get(id))),
    lists: await Promise.all(['main', 'ada'].map((one) => store.sessions.list(one))),
    document: await store.document(DOCUMENT),
    derived: derived === undefined || Buffer.compare(derived, DERIVED_BYTES) === 0 ? 'as they were' : 'other bytes',
  }
}
