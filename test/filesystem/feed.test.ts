/** The feed of changes with what hands did: enough to keep something derived in step, whoever changed what. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from '../../src/model/entry.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { ChangeFeed, Cursor, Store } from '../../src/ports/store.ts'
import { type FilesystemStore, filesystemStore } from '../../src/stores/filesystem/store.ts'

const SCOPES = ['world', 'main']
const DAY_MS = 86_400_000

let root: string
let now: number
let store: FilesystemStore
const stores: Store[] = []

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'keepsake-feed-')), 'ws')
  now = Date.parse('2026-11-14T10:00:00.000Z')
  store = open()
})
afterEach(async () => {
  for (const one of stores.splice(0)) await one.close()
  rmSync(join(root, '..'), { recursive: true, force: true })
})

/** Each has a catalogue of its own, as a process would. */
function open(): FilesystemStore {
  const opened = filesystemStore({ root, timezone: 'UTC', clock: () => now })
  stores.push(opened)
  return opened
}

function note(name: string, content = `about ${name}`): Operation {
  return { op: 'add', scope: 'main', kind: 'note', name, content }
}

async function write(by: Store, ...operations: Operation[]): Promise<Entry> {
  const { entries } = await by.apply({ operations, origin: { by: 'agent', agent: 'main' } })
  return entries.at(-1) as Entry // each batch here touches one
}

function put(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** What an index does: goes by the feed alone, lays the edits on top, and starts over when told to. */
class Follower {
  readonly #store: Store
  #journaled = new Map<string, string>()
  #cursor: Cursor | undefined
  last: ChangeFeed | undefined

  constructor(of: Store) {
    this.#store = of
  }

  async follow(): Promise<Map<string, string>> {
    const feed = await this.#store.feed(this.#cursor, { edits: SCOPES })
    const edited = new Set(feed.edits.map(({ id }) => id))
    const before = new Set(this.last?.edits.map(({ id }) => id))
    const touched = feed.changes.flatMap(({ operations }) => operations.map(({ id }) => id ?? ''))
    if (this.#cursor === undefined || feed.restarted) {
      this.#journaled = new Map()
      for await (const entry of this.#store.scan({ scopes: SCOPES })) this.#journaled.set(entry.id, said(entry))
    }
    // What was edited and is no more was taken back, or journaled.
    for (const id of [...touched, ...before].filter((one) => !edited.has(one))) {
      const entry = await this.#store.get(id)
      if (entry) this.#journaled.set(id, said(entry))
      else this.#journaled.delete(id)
    }
    this.#cursor = feed.cursor
    this.last = feed
    const known = new Map(this.#journaled)
    for (const { id, after } of feed.edits) {
      if (after) known.set(id, said(after))
      else known.delete(id)
    }
    return known
  }

  /** What it knows is what a scan gives. */
  async check(): Promise<ChangeFeed> {
    const known = await this.follow()
    const there = new Map<string, string>()
    for await (const entry of this.#store.scan({ scopes: SCOPES })) there.set(entry.id, said(entry))
    expect(new Map([...known].sort())).toEqual(new Map([...there].sort()))
    return this.last as ChangeFeed // just followed
  }
}

function said({ seq, revision, path, content }: Entry): string {
  return JSON.stringify([seq, revision, path, content])
}

describe('the feed', () => {
  it('does not look at files unless it is asked to', async () => {
    await write(store, note('a'))
    appendFileSync(join(root, 'agents/main/entries/a.md'), 'by hand\n')
    expect((await store.feed()).edits).toEqual([])
    expect((await store.feed(undefined, { edits: ['world'] })).edits).toEqual([])
    expect((await store.feed(undefined, { edits: ['main'] })).edits).toHaveLength(1)
  })

  it('tells what hands did until it is a change', async () => {
    const follower = new Follower(open())
    const a = await write(store, note('a'))
    const b = await write(store, note('b'))
    await follower.check()
    appendFileSync(join(root, 'agents/main/entries/a.md'), 'by hand\n')
    rmSync(join(root, 'agents/main/entries/b.md'))
    put('world/people.md', 'Ada runs the lab.\n')
    put('agents/main/daily/2026-11-13.md', '# 2026-11-13\n\n## 09:00\n\nFirst.\n')
    const feed = await follower.check()
    expect(feed.changes).toEqual([])
    expect(feed.edits).toHaveLength(4)
    expect(feed.edits.find(({ id }) => id === a.id)?.after?.content).toBe('about a\nby hand')
    expect(feed.edits.find(({ id }) => id === b.id)).toEqual({ id: b.id })
    expect((await follower.check()).edits, 'told again as long as it is so').toHaveLength(4)
    await store.absorb()
    const after = await follower.check()
    expect(after.edits).toEqual([])
    expect(after.changes.map(({ origin }) => origin.by)).toEqual(['hand', 'hand', 'hand', 'hand'])
  })

  it('tells no more what a hand took back', async () => {
    const follower = new Follower(open())
    await write(store, note('a'))
    const path = join(root, 'agents/main/entries/a.md')
    await follower.check()
    renameSync(path, join(root, 'aside'))
    expect((await follower.check()).edits).toHaveLength(1)
    renameSync(join(root, 'aside'), path)
    expect((await follower.check()).edits).toEqual([])
  })

  it('tells of an entry whose file can not be read any more as scan does, and of its return', async () => {
    const follower = new Follower(open())
    const a = await write(store, note('a'))
    await write(store, note('b'))
    await follower.check()
    const path = join(root, 'agents/main/entries/a.md')
    const text = readFileSync(path)
    writeFileSync(path, Buffer.from([0xff, 0xfe, 0xff]))
    expect((await follower.check()).edits).toEqual([{ id: a.id }])
    rmSync(path)
    mkdirSync(path)
    expect((await follower.check()).edits).toEqual([{ id: a.id }])
    rmSync(path, { recursive: true })
    writeFileSync(path, text)
    expect((await follower.check()).edits).toEqual([])
  })

  it('tells of a file that was moved to another name', async () => {
    const follower = new Follower(open())
    const a = await write(store, note('a'))
    await follower.check()
    const folder = join(root, 'agents/main/entries')
    renameSync(join(folder, 'a.md'), join(folder, 'z.md'))
    const { edits } = await follower.check()
    expect(edits.map(({ id, after }) => [id, after?.path])).toEqual([[a.id, 'agents/main/entries/z.md']])
  })

  it('tells what other processes write, over segments, a purge and a new epoch', async () => {
    const follower = new Follower(open())
    const other = open()
    const first = await write(store, note('first'))
    await follower.check()
    for (let n = 0; n < 5; n++) await write(n % 2 ? store : other, note(`n${n}`))
    const second = await follower.check()
    expect([second.restarted, second.changes.length]).toEqual([false, 5])
    await other.purge([first.id])
    expect((await follower.check()).restarted).toBe(true)
    await write(store, note('later'))
    expect((await follower.check()).changes).toHaveLength(1)
    rmSync(join(root, '.state'), { recursive: true })
    await write(open(), note('anew'))
    expect((await follower.check()).restarted).toBe(true)
    expect((await follower.check()).changes).toEqual([])
  })

  it('goes back to a cursor over segments, and no further', async () => {
    const cursors: Cursor[] = []
    for (let n = 0; n < 6; n++) {
      now += 8 * DAY_MS // a segment is closed after a week, by the next process
      await write(open(), note(`n${n}`, 'x'.repeat(1 + n * 40_000)))
      cursors.push((await store.feed()).cursor)
    }
    expect(readdirSync(join(root, '.state/journal')).length).toBeGreaterThan(4)
    for (const [n, cursor] of cursors.entries()) {
      const { changes, restarted } = await store.feed(cursor)
      expect([restarted, changes.map(({ number }) => number)]).toEqual([false, [1, 2, 3, 4, 5, 6].slice(n + 1)])
    }
    expect((await store.feed()).changes.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('starts over for a cursor from before what is kept', async () => {
    await write(store, note('a'))
    const { cursor } = await store.feed()
    for (let n = 0; n < 3; n++) {
      now += 500 * DAY_MS
      await write(open(), note(`n${n}`))
    }
    const feed = await open().feed(cursor)
    expect(feed.restarted).toBe(true)
    expect(feed.changes[0]?.number).toBeGreaterThan(2)
  })

  it('starts over where a segment on the way back can not be read, and tells what is after it', async () => {
    const first = await write(store, note('a'))
    const { cursor } = await store.feed()
    for (const name of ['b', 'c']) {
      now += 8 * DAY_MS
      const other = open()
      // So many that it leaves a checkpoint: opening needs none of the segments before.
      await write(other, ...Array.from({ length: 40 }, (_, n) => note(`${name}${n}`)))
      await other.close()
    }
    const [oldest = '', middle = ''] = readdirSync(join(root, '.state/journal')).sort()
    put(`.state/journal/${middle}`, '\nnot a journal\n')
    const feed = await open().feed(cursor)
    expect([feed.restarted, feed.changes.map(({ number }) => number)]).toEqual([true, [3]])
    put(`.state/journal/${oldest}`, '\n')
    expect((await open().feed()).changes.map(({ number }) => number)).toEqual([3])
    expect((await open().get(first.id))?.name).toBe('a')
  })

  it('tells no change that it would tell once more', async () => {
    const reader = open()
    await write(store, note('a'))
    const one = await reader.feed()
    await write(store, note('b'))
    const two = await reader.feed(one.cursor)
    expect([one.changes, two.changes].map((part) => part.map(({ number }) => number))).toEqual([[1], [2]])
  })
})

describe('derived bytes', () => {
  it('are not kept in a workspace that was never written to, which stays as it is', async () => {
    put('world/people.md', 'Ada runs the lab.\n')
    expect(await store.derived.write('index', new Uint8Array([1]))).toBe(false)
    expect(await store.derived.read('index')).toBeUndefined()
    expect(readdirSync(root)).toEqual(['world'])
  })

  it('are not kept where the folder can only be read, without an error', async () => {
    await write(store, note('a'))
    await store.derived.write('index', new Uint8Array([1]))
    const folders = ['.state/tmp', '.state/derived'].map((path) => join(root, path))
    for (const folder of folders) chmodSync(folder, 0o500)
    // Root may write everywhere: then a file in the folder's place stands for it.
    if (process.getuid?.() === 0) {
      rmSync(join(root, '.state/tmp'), { recursive: true })
      writeFileSync(join(root, '.state/tmp'), '')
    }
    expect(await store.derived.write('index', new Uint8Array([2]))).toBe(false)
    expect([...((await store.derived.read('index')) ?? [])]).toEqual([1])
    for (const folder of folders) chmodSync(folder, 0o700)
  })

  it('that can not be read are as good as none', async () => {
    await write(store, note('a'))
    put('.state/derived/index/in-its-place', '')
    expect(await store.derived.read('index')).toBeUndefined()
    expect(await store.derived.write('index', new Uint8Array([1]))).toBe(false)
  })

  it('are not kept, once the feed has started over, for whom they were made before', async () => {
    await write(store, note('a'))
    const { cursor } = await store.feed()
    const { id } = await write(store, note('secret'))
    const other = open()
    expect(await other.derived.write('index', new Uint8Array([1]), cursor)).toBe(true)
    await store.purge([id])
    expect(await other.derived.write('index', new Uint8Array([2]), cursor)).toBe(false)
    expect(await store.derived.read('index')).toBeUndefined()
    expect(await other.derived.write('index', new Uint8Array([3]), (await other.feed('now')).cursor)).toBe(true)
  })

  it('leave nothing half made behind when an entry is purged', async () => {
    const { id } = await write(store, note('secret'))
    put('.state/tmp/0123456789abcdef', 'an index with about and secret, left by a process that was killed')
    await store.purge([id])
    expect(readdirSync(join(root, '.state/tmp'))).toEqual([])
  })

  it('leave no temporary file behind once somebody writes', async () => {
    await write(store, note('a'))
    put('.state/tmp/0123456789abcdef', 'what a crash left')
    await write(open(), note('b'))
    expect(readdirSync(join(root, '.state/tmp'))).toEqual([])
  })
})
