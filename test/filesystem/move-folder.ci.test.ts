/** A folder moved to another one through what every other store keeps of it: equal to the byte, with all of its past. */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import type { Entry } from '../../src/model/entry.ts'
import { compareImages } from '../../src/move/compare-images.ts'
import type { MemoryImage, Recorded, Store } from '../../src/ports/store.ts'
import {
  type FilesystemStore,
  type FilesystemStoreOptions,
  filesystemStore,
} from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { collected, each } from '../../src/testing/images.ts'
import { isNightly, seed } from '../tier.ts'
import { act, filesOf, fill, grow, heldImage, put, randomly, treeOf } from './move-images.ts'

const ENTRIES = isNightly ? 10_000 : 150

let base: string
let ms: number
const opened: { close(): Promise<void> }[] = []
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-move-'))
  ms = Date.parse('2026-05-01T08:00:00Z')
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  rmSync(base, { recursive: true, force: true })
})

const clock = (): number => ms
const tick = (by: number): void => {
  ms += by
}

function at(name: string, options: Partial<FilesystemStoreOptions> = {}): FilesystemStore {
  const store = filesystemStore({ root: join(base, name), clock, ...options })
  opened.push(store)
  return store
}

/** To a folder of the name, by way of a store that knows no files. */
async function moved(
  from: FilesystemStore,
  name = 'to',
  options: Partial<FilesystemStoreOptions> = {},
): Promise<FilesystemStore> {
  const to = at(name, options)
  await to.adopt(await heldImage(await from.image()))
  return to
}

async function changesIn(image: MemoryImage): Promise<readonly Recorded[]> {
  return (await collected(image)).changes
}

async function all(store: Store): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of store.scan()) entries.push(entry)
  return entries
}

describe('a folder moved to another folder', () => {
  it(`holds ${ENTRIES} entries as they were, to the byte, and keeps no file that the entries alone tell`, async () => {
    const from = at('from', { timezone: 'Europe/Berlin' })
    await fill(from, ENTRIES, tick)
    const image = await heldImage(await from.image())
    expect(await filesOf(image)).toEqual([])
    const to = at('to')
    expect(await to.adopt(image)).toEqual({ warnings: [] })
    expect(treeOf(to.root)).toEqual(treeOf(from.root))
    expect(await compareImages(image, await to.image())).toEqual([])
    expect((await to.examine()).findings).toEqual([])
    expect(readdirSync(base).sort()).toEqual(['from', 'to'])
  })

  it('comes back to the byte whatever hands have made of it, and names what is no part of it', async () => {
    const from = at('from', { timezone: 'Europe/Berlin' })
    await fill(from, 100, tick)
    await grow(from, tick)
    put(from.root, 'README.md', 'not ours')
    put(from.root, '.git/HEAD', 'ref')
    await from.absorb()
    const image = await heldImage(await from.image())
    expect(image.warnings.join('\n')).toContain('not taken along: .git/, README.md')
    expect(image.warnings.join('\n')).toContain('broken.md')
    const to = await moved(from)
    const tree = treeOf(from.root)
    tree.delete('README.md')
    tree.delete('.git/HEAD')
    expect(treeOf(to.root)).toEqual(tree)
    expect(await compareImages(image, await to.image())).toEqual([])
    expect(await all(to)).toEqual(await all(from))
    expect(await to.document('directives/memory.md')).toBe('A document.\r\n')
  })

  it('takes what hands did and nobody has journaled as one change more, and writes nothing itself', async () => {
    const from = at('from')
    await grow(from, tick)
    const before = { tree: treeOf(from.root), journal: journalOf(from.root) }
    const image = await heldImage(await from.image())
    expect({ tree: treeOf(from.root), journal: journalOf(from.root) }).toEqual(before)
    const { cursor } = await from.feed('now')
    expect(image.cursor.number).toBe(cursor.number + 1)
    expect((await changesIn(image)).at(-1)?.change.origin).toEqual({ by: 'hand' })
    const to = await moved(from)
    expect(treeOf(to.root)).toEqual(before.tree)
    expect(await compareImages(image, await to.image())).toEqual([])
  })

  it('is known again while hands’ edits wait to be journaled, whatever the time is', async () => {
    const from = at('from', { clock: Date.now })
    await new Memory(from, 'main', Date.now).remember('one', { name: 'One' })
    put(from.root, 'agents/main/entries/one.md', 'two\n')
    const to = await moved(from)
    const later = at('from', { clock: () => Date.now() + 3_600_000 })
    expect(await compareImages(await later.image(), await to.image())).toEqual([])
  })

  it('is of one moment where somebody writes all the time: they wait for the look', async () => {
    const root = join(base, 'from')
    let saves = 0
    const busy = at('from', {
      clock: () => {
        // The clock is asked in the middle of each look: five go wrong, and the next one is under the lock.
        if (saves < 5) put(root, 'agents/main/entries/one.md', `save ${++saves}\n`)
        return Date.now()
      },
    })
    await new Memory(at('from', { clock: Date.now }), 'main', Date.now).remember('one', { name: 'One' })
    const contents: string[] = []
    for await (const { content } of (await busy.image()).entries()) contents.push(content)
    expect(contents).toContain('save 5')
  })

  it('takes a folder that Keepsake has never written to', async () => {
    put(join(base, 'from'), 'MEMORY.md', 'likes tea\n\n\n')
    put(join(base, 'from'), 'entries/a note.md', 'no front matter')
    const from = at('from')
    const image = await heldImage(await from.image())
    expect(image.settings.layout).toBe('flat')
    const to = await moved(from)
    const { 'keepsake.yaml': settings, ...files } = Object.fromEntries(treeOf(to.root))
    expect(files).toEqual(Object.fromEntries(treeOf(from.root)))
    expect(settings).toContain(image.settings.id)
    expect(await compareImages(image, await to.image())).toEqual([])
    expect((await all(to)).map(({ name }) => name)).toEqual((await all(from)).map(({ name }) => name))
  })

  it('keeps an empty one empty', async () => {
    const to = await moved(at('from'))
    expect(await all(to)).toEqual([])
    await new Memory(to, 'main', clock).remember('first')
    expect((await all(to)).map(({ seq }) => seq)).toEqual([1])
  })

  it('keeps a flat one flat, and its zone and identity file', async () => {
    const from = at('from', { layout: 'flat', agent: 'max', timezone: 'Asia/Tokyo', identityFile: 'SOUL.md' })
    const memory = new Memory(from, 'max', clock)
    await memory.remember('one')
    await memory.reflect('two')
    await from.apply({
      operations: [{ op: 'add', scope: 'max', kind: 'identity', content: 'I am Max.' }],
      origin: { by: 'agent' },
    })
    const to = await moved(from, 'to', { agent: 'max' })
    expect(treeOf(to.root)).toEqual(treeOf(from.root))
    expect(await to.settings()).toEqual(await from.settings())
    expect(await all(to)).toEqual(await all(from))
  })

  it('has modes that keep others out', async () => {
    const from = at('from')
    await new Memory(from, 'main', clock).remember('private')
    const to = await moved(from)
    for (const path of readdirSync(to.root, { recursive: true, encoding: 'utf8' })) {
      const stats = statSync(join(to.root, path))
      expect([path, stats.mode & 0o777]).toEqual([path, stats.isDirectory() ? 0o700 : 0o600])
    }
  })
})

function journalOf(root: string): string {
  const folder = join(root, '.state/journal')
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join()
}

describe('a folder that agents and hands have done anything to', () => {
  const runs = isNightly ? 40 : 3
  it.each(Array.from({ length: runs }, (_, run) => seed + run))('moves to the byte (seed %i)', async (seed) => {
    const random = randomly(seed)
    const layout = seed % 2 === 0 ? ({ layout: 'flat', agent: 'main' } as const) : {}
    const from = at('from', { timezone: 'America/New_York', ...layout })
    for (let n = 0; n < 60; n++) {
      tick(1000 + random(9_000_000))
      await act(from, random, n)
      if (random(3) === 0) await from.absorb({ acceptRemovals: true })
    }
    await from.absorb({ acceptRemovals: true })
    const image = await heldImage(await from.image())
    const to = await moved(from)
    const missing = image.warnings.filter((warning) => warning.includes('will be written anew'))
    const rewritten = (path: string): boolean => missing.some((warning) => warning.startsWith(`${path} `))
    const tree = [...treeOf(to.root)].filter(([path]) => !rewritten(path))
    expect(new Map(tree)).toEqual(treeOf(from.root))
    expect(await compareImages(image, await to.image())).toEqual([])
    expect((await all(to)).map(plain)).toEqual((await all(from)).map(plain))
  })
})

describe('the past of a moved folder', () => {
  it.each(['by way of a store that knows no files', 'at once'])(
    'is told, seen and undone as before: %s',
    async (way) => {
      const from = at('from', { timezone: 'UTC' })
      await fill(from, 30, tick)
      await grow(from, tick)
      await from.absorb()
      const to = at('to')
      await to.adopt(way === 'at once' ? await from.image() : await heldImage(await from.image()))
      const [here, there] = [new Memory(from, 'main', clock), new Memory(to, 'main', clock)]
      const log = await here.log()
      expect(pathless(await there.log())).toEqual(pathless(log))
      for (const { change } of log.slice(0, 25)) {
        const [a, b] = [await here.asOf(change.at), await there.asOf(change.at)]
        expect((await b.list()).map(plain)).toEqual((await a.list()).map(plain))
      }
      let count = 0
      for (const { change } of log) {
        tick(1000)
        const [a, b] = [await undone(here, change.number), await undone(there, change.number)]
        // That a hand moved a file and nothing else: what the file held then is not told, so it stays where it is.
        if (change.origin.by !== 'hand' || change.operations.some(({ op }) => op !== 'rename')) expect(b).toEqual(a)
        expect((await all(to)).map(plain)).toEqual((await all(from)).map(plain))
        if ('done' in a) count++
      }
      expect(count).toBeGreaterThan(15)
      expect((await to.problems({ everyFile: true })).length).toBe((await from.problems({ everyFile: true })).length)
    },
  )

  it('lets what is written after it be undone to the byte, whoever wrote the file last before', async () => {
    const from = at('from', { timezone: 'UTC' })
    await fill(from, 30, tick)
    await grow(from, tick)
    await from.absorb()
    const to = await moved(from)
    const memory = new Memory(to, 'main', clock)
    const before = treeOf(to.root)
    for (const name of ['Commented', 'Windows', 'bare', 'Release checklist', 'Moved by hand', 'C#']) {
      tick(1000)
      await memory.remember('another text', { name })
      expect(treeOf(to.root)).not.toEqual(before)
      await memory.undo()
      expect(treeOf(to.root)).toEqual(before)
    }
    tick(1000)
    await memory.remember('one more line')
    const { entries } = await to.apply({
      operations: [{ op: 'add', scope: 'main', kind: 'history', content: 'one more' }],
      origin: { by: 'agent' },
    })
    await to.apply({ operations: [{ op: 'remove', id: entries[0]?.id ?? '' }], origin: { by: 'agent' } })
    for (let n = 0; n < 3; n++) await memory.undo()
    expect(treeOf(to.root)).toEqual(before)
  })

  it('is the same without its checkpoint', async () => {
    const from = at('from')
    await fill(from, 20, tick)
    await grow(from, tick)
    await from.absorb()
    const image = await heldImage(await from.image())
    await at('to').adopt(image)
    rmSync(join(base, 'to/.state/checkpoint'))
    const to = at('to')
    expect(await all(to)).toEqual(await all(from))
    await to.init()
    expect(await compareImages(image, await to.image())).toEqual([])
  })

  it('keeps numbers that do not follow each other', async () => {
    const from = at('from')
    const memory = new Memory(from, 'main', clock)
    for (const n of [1, 2, 3]) await memory.remember(`note ${n}`)
    const image = await heldImage(await from.image())
    const changes = (await changesIn(image)).map(({ change, touched }, index) => ({
      change: { ...change, number: [3, 42, 43][index] ?? 0 },
      touched,
    }))
    const to = at('to')
    await to.adopt({
      ...image,
      cursor: { ...image.cursor, number: 50 },
      history: { ...image.history, changes: () => each(changes) },
    })
    await new Memory(to, 'main', clock).remember('after')
    expect((await to.changes()).map(({ change }) => change.number)).toEqual([51, 43, 42, 3])
    expect((await to.examine()).findings).toEqual([])
  })

  it('is purged of an entry as any other past', async () => {
    const from = at('from')
    await grow(from, tick)
    const memory = new Memory(from, 'main', clock)
    await memory.remember('the word xyzzy', { name: 'Secret' })
    await memory.remember('xyzzy once more', { name: 'Secret' })
    await memory.remember('plugh in a log')
    await from.absorb()
    const to = await moved(from)
    const ids = (await all(to)).filter(({ content }) => /xyzzy|plugh/.test(content)).map(({ id }) => id)
    expect(ids).toHaveLength(2)
    await to.purge(ids)
    const files = readdirSync(to.root, { recursive: true, encoding: 'utf8' })
    const texts = files.filter((path) => lstatSync(join(to.root, path)).isFile())
    for (const path of texts)
      expect([path, /xyzzy|plugh/.test(readFileSync(join(to.root, path), 'latin1'))]).toEqual([path, false])
    expect((await all(to)).length).toBe((await all(from)).length - 2)
  })

  it('begins where that of the source begins', async () => {
    const from = at('from')
    const memory = new Memory(from, 'main', clock)
    await memory.remember('kept', { name: 'Kept' })
    await memory.remember('there at first', { name: 'First' })
    const image = await heldImage(await from.image())
    const changes = await changesIn(image)
    const [first] = await all(from)
    const { path: _, ...entry } = first as Entry
    const cut = {
      ...image,
      history: { since: '2026-05-01T08:00:00.000Z', entries: [entry], changes: () => each(changes.slice(1)) },
    }
    const to = at('to')
    await to.adopt(cut)
    expect(await compareImages(cut, await to.image())).toEqual([])
    tick(1000)
    await new Memory(to, 'main', clock).remember('changed', { name: 'Kept' })
    await new Memory(to, 'main', clock).undo()
    expect(treeOf(to.root)).toEqual(treeOf(from.root))
  })
})

function pathless(value: object): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'path' ? undefined : inner)))
}

function plain({ path: _, updatedAt: __, ...entry }: Entry): object {
  return entry
}

async function undone(memory: Memory, number: number): Promise<object> {
  try {
    const { change } = await memory.undo({ changes: [number] })
    return { done: change?.operations.map(({ op }) => op) }
  } catch (error) {
    return { code: (error as { code?: unknown }).code }
  }
}

describe('what changed in another store meanwhile', () => {
  it('is written into the very files that were kept, and a hand’s words in them stay', async () => {
    const from = at('from', { timezone: 'UTC' })
    await grow(from, tick)
    await from.absorb()
    const between = memoryStore({ clock })
    opened.push(between)
    await between.adopt(await from.image())
    const memory = new Memory(between, 'main', clock)
    tick(1000)
    await memory.remember('rewritten', { name: 'Commented' })
    await memory.rename('Windows', 'Doors')
    await memory.forget('Moved by hand')
    await memory.remember('a late line')
    const [block] = (await all(between)).filter(({ content }) => content === 'A block without an id')
    await between.apply({
      operations: [{ op: 'write', id: block?.id ?? '', content: 'mended' }],
      origin: { by: 'agent' },
    })
    const to = at('to')
    const image = await between.image()
    await to.adopt(image)
    const tree = treeOf(to.root)
    expect(tree.get('agents/main/entries/commented.md')).toContain('# keep this line\ncolour: blue\n')
    expect(tree.get('agents/main/entries/commented.md')).toContain('rewritten')
    expect(tree.get('agents/main/entries/doors.md')).toContain('\r\n')
    expect([...tree.keys()].filter((path) => /windows|ELSE/.test(path))).toEqual([])
    expect(tree.get('agents/main/daily/2026-05-01.md')).toContain('mended')
    expect(tree.get('agents/main/daily/2026-05-01.md')).toContain('another')
    expect(await compareImages(image, await to.image())).toEqual([])
    expect((await all(to)).map(({ path: _, ...entry }) => entry)).toEqual(await all(between))
    expect(
      (await to.examine()).findings.filter(({ path }) => !/broken|latin|No Key|Max|copy/.test(path ?? '')),
    ).toEqual([])
  })
})

describe('a move that can not be', () => {
  it('touches nothing where something is already', async () => {
    const from = at('from')
    await new Memory(from, 'main', clock).remember('one')
    put(join(base, 'to'), 'mine.txt', 'mine')
    await expect(moved(from)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(readdirSync(base).sort()).toEqual(['from', 'to'])
    mkdirSync(join(base, 'empty'))
    await moved(from, 'empty')
    expect(treeOf(join(base, 'empty'))).toEqual(treeOf(from.root))
  })

  it('is refused while entries can not be read, or are gone in bulk', async () => {
    const from = at('from')
    const memory = new Memory(from, 'main', clock)
    for (let n = 0; n < 20; n++) await memory.remember(`text ${n}`, { name: `Note ${n}` })
    const path = 'agents/main/entries/note-3.md'
    const text = readFileSync(join(from.root, path), 'utf8')
    put(from.root, path, '---\nname: [\n')
    await expect(from.image()).rejects.toMatchObject({ code: 'DAMAGED' })
    rmSync(join(from.root, path))
    symlinkSync('/dev/null', join(from.root, path))
    await expect(from.image()).rejects.toMatchObject({ code: 'DAMAGED' })
    rmSync(join(from.root, path))
    put(from.root, path, text)
    for (let n = 4; n < 20; n++) rmSync(join(from.root, `agents/main/entries/note-${n}.md`))
    await expect(from.image()).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('is refused where an image would lead out of the folder', async () => {
    const from = at('from')
    await new Memory(from, 'main', clock).remember('one')
    const image = await heldImage(await from.image())
    const paths = ['../out.md', '/tmp/out.md', '.state/journal/x', 'a//b.md', 'a/../../b.md']
    for (const path of paths) {
      const files = async function* (): AsyncGenerator<{ path: string; bytes: Uint8Array; entries: [] }> {
        yield { path, bytes: new Uint8Array(), entries: [] }
      }
      await expect(at('to').adopt({ ...image, files })).rejects.toMatchObject({ code: 'DAMAGED' })
    }
    const entries = async function* (): AsyncGenerator<Entry> {
      for await (const entry of image.entries()) yield { ...entry, scope: '../x' }
    }
    await expect(at('to').adopt({ ...image, entries })).rejects.toMatchObject({ code: 'DAMAGED' })
    expect(readdirSync(base)).toEqual(['from'])
  })

  it('leaves nothing when it is interrupted at any step, and starts over', async () => {
    const from = at('from')
    await fill(from, 60, tick)
    await grow(from, tick)
    await from.absorb()
    const image = await heldImage(await from.image())
    let steps = 0
    await at('whole').adopt(image, { onProgress: (done) => (steps = done) })
    for (const stopAt of [1, 7, 40, steps - 1]) {
      const to = at(`to-${stopAt}`)
      const stop = new AbortController()
      const onProgress = (done: number): void => {
        if (done === stopAt) stop.abort()
      }
      await expect(to.adopt(image, { signal: stop.signal, onProgress })).rejects.toThrow()
      expect(readdirSync(base).filter((name) => name.includes(`to-${stopAt}`))).toEqual([])
      await to.adopt(image)
      expect(treeOf(to.root)).toEqual(treeOf(from.root))
    }
  })

  it('reuses nothing that a killed move left, and follows no link in it', async () => {
    const from = at('from')
    await fill(from, 5, tick)
    const moving = join(base, '.to.moving')
    put(moving, 'agents/main/entries/left-over.md', 'of another moment')
    mkdirSync(join(base, 'elsewhere'))
    put(join(base, 'elsewhere'), 'mine.txt', 'mine')
    symlinkSync(join(base, 'elsewhere'), join(moving, 'world'))
    await at('to').adopt(await heldImage(await from.image()))
    expect(readdirSync(join(base, 'elsewhere'))).toEqual(['mine.txt'])
    expect(treeOf(join(base, 'to'))).toEqual(treeOf(from.root))
  })

  it('is refused where an entry is none, and leaves nothing', async () => {
    const from = at('from')
    await new Memory(from, 'main', clock).remember('one')
    const image = await heldImage(await from.image())
    for (const bad of [
      { kind: 'nope' },
      { kind: '__proto__' },
      { createdAt: '../../x' },
      { aliases: null },
      { id: '../x' },
    ]) {
      const entries = async function* (): AsyncGenerator<Entry> {
        for await (const entry of image.entries()) yield { ...entry, ...bad } as Entry
      }
      await expect(at('to').adopt({ ...image, entries }), JSON.stringify(bad)).rejects.toMatchObject({
        code: 'DAMAGED',
      })
    }
    expect(readdirSync(base)).toEqual(['from'])
  })

  it('leaves an identity outside the workspace as it is', async () => {
    const identityPath = join(base, 'SOUL.md')
    put(base, 'SOUL.md', 'I am.\n')
    const from = at('from', { identityPath })
    await new Memory(from, 'main', clock).remember('one')
    await from.absorb()
    const image = await heldImage(await from.image())
    expect(JSON.stringify(await collected(image))).not.toContain(base)
    const to = at('to', { identityPath })
    await to.adopt(image)
    expect(await all(to)).toEqual(await all(from))
    expect(readFileSync(identityPath, 'utf8')).toBe('I am.\n')
    const inside = at('inside')
    await inside.adopt(image)
    expect(readFileSync(join(inside.root, 'agents/main/IDENTITY.md'), 'utf8')).toBe('I am.\n')
    put(base, 'SOUL.md', 'Somebody else.\n')
    await expect(at('other', { identityPath }).adopt(image)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('says so where it may not write', async () => {
    const from = at('from')
    await new Memory(from, 'main', clock).remember('one')
    mkdirSync(join(base, 'closed'))
    chmodSync(join(base, 'closed'), 0o500)
    const isRoot = process.getuid?.() === 0
    if (!isRoot) await expect(moved(from, 'closed/to')).rejects.toMatchObject({ code: 'READ_ONLY' })
    chmodSync(join(base, 'closed'), 0o700)
  })
})
