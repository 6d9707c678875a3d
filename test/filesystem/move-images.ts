/** For tests of moving: an image as another store would hand it on, and folders that are made to be hard to move. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Entry } from '../../src/model/entry.ts'
import type { AddOperation, Operation } from '../../src/model/operation.ts'
import type { KeptFile, MemoryImage, Recorded, SessionText } from '../../src/ports/store.ts'
import type { FilesystemStore } from '../../src/stores/filesystem/store.ts'

/** A copy of every part; a store without files does not know where anything lay. */
export async function heldImage(image: MemoryImage): Promise<MemoryImage> {
  const [entries, sessions, files]: [Entry[], SessionText[], KeptFile[]] = [[], [], []]
  for await (const entry of image.entries()) entries.push(withoutPath(entry))
  for await (const session of image.sessions()) sessions.push(structuredClone(session))
  for await (const file of image.files()) files.push(structuredClone(file))
  const changes: Recorded[] = []
  for await (const { change, touched } of image.history.changes()) {
    const copied = touched.map(({ id, before, after }) => ({
      id,
      ...(before ? { before: withoutPath(before) } : {}),
      ...(after ? { after: withoutPath(after) } : {}),
    }))
    changes.push({ change: structuredClone(change), touched: copied })
  }
  const entriesThen = image.history.entries.map(withoutPath)
  const history = { ...image.history, entries: entriesThen, changes: () => each(changes) }
  const { settings, cursor, nextSeq, warnings } = image
  return {
    settings,
    cursor,
    nextSeq,
    warnings,
    history,
    entries: () => each(entries),
    sessions: () => each(sessions),
    files: () => each(files),
    close: async () => undefined,
  }
}

function withoutPath({ path: _, ...entry }: Entry): Entry {
  return structuredClone(entry)
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

export async function filesOf(image: MemoryImage): Promise<KeptFile[]> {
  const files: KeptFile[] = []
  for await (const file of image.files()) files.push(file)
  return files
}

/** Everything outside `.state`, to the byte. */
export function treeOf(root: string): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path !== '.state' && !path.startsWith('.state/'))
    .filter((path) => statSync(join(root, path)).isFile())
  return new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), 'latin1')]))
}

export function put(root: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

export function edit(root: string, path: string, change: (text: string) => string): void {
  put(root, path, change(readFileSync(join(root, path), 'utf8')))
}

const KINDS = ['note', 'fact', 'topic', 'experience', 'history', 'conversation', 'note', 'experience'] as const

/** So many entries of all kinds and two agents, in batches, over some weeks. */
export async function fill(store: FilesystemStore, count: number, tick: (ms: number) => void): Promise<void> {
  for (let begun = 0; begun < count; begun += 500) {
    tick(3_600_000)
    const operations = Array.from({ length: Math.min(500, count - begun) }, (_, index) => added(begun + index))
    await store.apply({ operations, origin: { by: 'agent', agent: 'main' } })
  }
}

function added(n: number): AddOperation {
  const kind = KINDS[n % KINDS.length] ?? 'note'
  const scope = kind === 'topic' ? 'world' : n % 3 === 0 ? 'zoe' : 'main'
  const isNamed = kind === 'note' || kind === 'fact' || kind === 'topic'
  return {
    op: 'add',
    scope,
    kind,
    content: `What ${n} says.\n\n## 12:00\n---\n${'word '.repeat(n % 23)}end`,
    ...(isNamed ? { name: `Thing ${n}: ${n % 7}`, aliases: n % 11 === 0 ? [`t${n}`] : [] } : {}),
    ...(n % 13 === 0 ? { metadata: { n, list: [1, 'two'] }, description: `about ${n}` } : {}),
  }
}

/** Folders as they become where agents and people write for months: freed and reused slugs, renames, edits of all sorts. */
export async function grow(store: FilesystemStore, tick: (ms: number) => void): Promise<void> {
  const { root } = store
  const by = { by: 'agent', agent: 'main' } as const
  const add = async (name: string, kind: 'note' | 'topic' = 'note'): Promise<string> => {
    tick(60_000)
    const scope = kind === 'topic' ? 'world' : 'main'
    const { entries } = await store.apply({ operations: [{ op: 'add', scope, kind, name, content: name }], origin: by })
    return entries[0]?.id ?? ''
  }
  const first = await add('C++')
  await add('C#')
  const third = await add('C!')
  await store.apply({ operations: [{ op: 'remove', id: first }], origin: by })
  await add('C')
  await store.apply({ operations: [{ op: 'rename', id: third, name: 'Deploy checklist' }], origin: by })
  await store.apply({ operations: [{ op: 'rename', id: third, name: 'Release checklist' }], origin: by })
  await store.apply({ operations: [{ op: 'alias', id: third, alias: 'rollout' }], origin: by })
  const commented = await add('Commented')
  const windows = await add('Windows')
  const moved = await add('Moved by hand')
  const copied = await add('Copied')
  await add('Ünïcødé – 日本語 🦊')
  await add('Topic with front matter', 'topic')
  await store.apply({ operations: [{ op: 'write', id: commented, metadata: { tags: ['a'] } }], origin: by })
  const logged = await store.apply({
    operations: [1, 2, 3].map((n) => ({ op: 'add', scope: 'main', kind: 'experience', content: `logged ${n}` })),
    origin: by,
  })
  tick(60_000)
  await store.apply({ operations: [{ op: 'remove', id: logged.entries[1]?.id ?? '' }], origin: by })
  await store.apply({
    operations: [{ op: 'add', scope: 'main', kind: 'memory', content: '# Memory\n\n- one' }],
    origin: by,
  })
  await store.apply({
    operations: [{ op: 'add', scope: 'main', kind: 'context', key: 'room', content: 'kitchen' }],
    origin: { ...by, session: 'chat-1' },
  })
  for (const n of [1, 2, 3, 4]) {
    await store.sessions.append('main', 'chat-1', [{ type: 'turn', id: `t${n}`, role: 'user', content: `said ${n} é` }])
  }
  await store.sessions.append('zoe', `a/b: ${'long '.repeat(60)}`, [{ type: 'turn', id: 't1', content: 'hi' }])
  const pathOf = async (id: string): Promise<string> => (await store.get(id))?.path ?? ''
  edit(root, await pathOf(commented), (text) => text.replace('---\n', '---\n# keep this line\ncolour: blue\n'))
  edit(root, await pathOf(windows), (text) => text.replaceAll('\n', '\r\n'))
  renameSync(join(root, await pathOf(moved)), join(root, 'agents/main/entries/Some Where ELSE.md'))
  put(root, 'agents/main/entries/bare.md', 'A card without front matter.\n\n\n')
  put(root, 'agents/main/entries/broken.md', '---\nname: [never closed\n')
  put(root, 'agents/main/entries/latin.md', Buffer.from([0x66, 0xfc, 0x72, 0x0a]))
  put(root, 'world/byhand.md', '\n\nA page that begins with blank lines.\n')
  put(
    root,
    'agents/main/daily/2026-05-01.md',
    '# 2026-05-01\n\n## 09:00\n\nA block without an id\n\n## 09:00\n\nanother\n',
  )
  put(root, 'agents/main/daily/2026-05-02.md', '# 2026-05-02\n')
  put(root, 'agents/main/HISTORY.md', '## 2026-04-01T00:00:00.000Z\n\nOnly in the mirror\n')
  put(root, 'agents/Max/MEMORY.md', 'An agent whose folder is spelled otherwise')
  put(
    root,
    'agents/Max/sessions/s.jsonl',
    '{"key":"s","createdAt":"2026-05-01T00:00:00.000Z"}\n{"type":"turn"}\n{"torn',
  )
  put(root, 'agents/main/sessions/No Key.jsonl', '{"key":"other"}\nbroken line\n')
  put(root, 'directives/memory.md', 'A document.\r\n')
  edit(root, 'keepsake.yaml', (text) => `${text}# a person's remark\n`)
  put(root, 'agents/main/entries/copy.md', readFileSync(join(root, await pathOf(copied))))
  put(root, 'world/two-bytes.md', '\ufeffBegins with a mark')
  put(root, 'world/no-end.md', '---\nname: Named\n---\nno newline at the end')
}

export function randomly(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** One thing that an agent or a person might do to a folder; it may turn out to change nothing. */
export async function act(store: FilesystemStore, random: (below: number) => number, n: number): Promise<void> {
  const by = { by: 'agent', agent: 'main' } as const
  const heads = await store.heads()
  const head = heads[random(heads.length)]
  const id = head?.id ?? ''
  const name = `Name ${random(5)}${['', '!', '?', ' ä'][random(4)]}`
  const kind =
    (['note', 'fact', 'topic', 'experience', 'history', 'memory', 'conversation'] as const)[random(7)] ?? 'note'
  const scope = kind === 'topic' ? 'world' : random(4) === 0 ? 'zoe' : 'main'
  const named = kind === 'note' || kind === 'fact' || kind === 'topic' ? { name } : {}
  const content = `${['', '---\n', '## 12:00\n\n'][random(3)]}text ${n}`
  const operations: Operation[][] = [
    [{ op: 'add', scope, kind, ...named, content }],
    [{ op: 'add', scope, kind, ...named, content, metadata: { n } }],
    [{ op: 'write', id, content, description: `d ${n}` }],
    [{ op: 'rename', id, name }],
    [{ op: 'alias', id, alias: `alias ${n % 9}`, mode: 'take' }],
    [{ op: 'remove', id }],
  ]
  const chosen = operations[random(operations.length + 3)]
  if (chosen) await store.apply({ operations: chosen, origin: by }).catch(() => undefined)
  else if (head?.path !== undefined) byHand(store.root, head.path, random(8), n)
}

function byHand(root: string, path: string, what: number, n: number): void {
  const text = (change: (text: string) => string): void => edit(root, path, change)
  const isLog = /daily|HISTORY|conversation/.test(path)
  const isFree = !isLog && !path.endsWith('MEMORY.md')
  if (what === 0) text((was) => `${was}\n\n`)
  else if (what === 1) text((was) => was.replaceAll('\n', '\r\n'))
  else if (what === 2) text((was) => was.replace(/text \d+/, `by hand ${n}`))
  else if (what === 3) text((was) => was.replace(/^---\n/, `---\n# remark ${n}\nown${n}: ${n}\n`))
  else if (what === 4 && isFree) renameSync(join(root, path), join(root, dirname(path), `Moved ${n}.md`))
  else if (what === 5 && isFree) put(root, join(dirname(path), `copy-${n}.md`), readFileSync(join(root, path)))
  else if (what === 6 && isLog) text((was) => `${was}\n## 23:5${n % 10}\n\nadded by hand ${n}\n`)
  else if (what === 7) rmSync(join(root, path))
}
