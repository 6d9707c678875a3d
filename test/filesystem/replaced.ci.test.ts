/**
 * A workspace that is deleted, or moved away, and another in its place, under a store that stays open: it begins anew with what
 * is there, shows nothing of what was, and takes nothing from either.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import { Memory } from '../../src/memory.ts'
import { tryLock } from '../../src/stores/disk/lock.ts'
import {
  type FilesystemStore,
  type FilesystemStoreOptions,
  filesystemStore,
} from '../../src/stores/filesystem/store.ts'
import { isNightly } from '../tier.ts'

const dist = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href
const ROUNDS = isNightly ? 300 : 12

/** Another process, of the built files: writes until its input ends, and tells how often, and the codes of what failed. */
const WRITER = `
import { openMemory } from ${JSON.stringify(dist)}
const memory = await openMemory({ workspace: process.argv[1], embeddingModel: 'none' })
let [ends, written, failing, worst] = [false, 0, 0, 0]
const codes = new Set()
process.stdin.on('end', () => { ends = true }).resume()
for (let isLast = false; !isLast || failing > 0 && failing < 100; ) {
  isLast = ends
  try {
    await memory.remember('By a writer: ' + written, { name: 'N' + written % 5 })
    if (++written === 1) console.error('begun')
    failing = 0
  } catch (error) {
    codes.add(error.code)
    worst = Math.max(worst, ++failing)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
await memory.close()
console.log(JSON.stringify({ written, worst, codes: [...codes] }))
`

let base: string
let root: string
const memories: Memory[] = []

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-replaced-'))
  root = join(base, 'ws')
})
afterEach(async () => {
  for (const memory of memories.splice(0)) await memory.close()
  rmSync(base, { recursive: true, force: true })
})

/** Each has a catalogue of its own, as a process would. */
function open(
  folder = root,
  options: Partial<FilesystemStoreOptions> = {},
): Memory & { readonly store: FilesystemStore } {
  const { agent = 'main' } = options
  const store = filesystemStore({ root: folder, ...options })
  const memory = new Memory(store, agent, Date.now)
  memories.push(memory)
  return Object.assign(memory, { store })
}

async function old(
  options: Partial<FilesystemStoreOptions> = {},
): Promise<Memory & { readonly store: FilesystemStore }> {
  const memory = open(root, options)
  await memory.remember('An old heron.', { name: 'Old' })
  await memory.remember('An old line of the log, with a heron.')
  await memory.reflect('Old thoughts of a heron.')
  await memory.search('heron')
  return memory
}

/** As `init` and a `remember` of another process do. */
async function fresh(folder = root, options: Partial<FilesystemStoreOptions> = {}): Promise<void> {
  const memory = open(folder, options)
  await memory.store.init()
  await memory.remember('A new stork.', { name: 'New' })
}

async function contents(memory: Memory): Promise<string[]> {
  const found: string[] = []
  for await (const { content } of memory.store.scan()) found.push(content)
  return found.sort()
}

/** Says just what one says that has never seen another workspace. */
async function expectInStep(memory: Memory, options: Partial<FilesystemStoreOptions> = {}): Promise<void> {
  const other = open(root, options)
  expect(await memory.store.settings()).toEqual(await other.store.settings())
  expect(await contents(memory)).toEqual(await contents(other))
  expect((await memory.store.feed()).changes).toEqual((await other.store.feed()).changes)
  expect(await memory.store.changes()).toEqual(await other.store.changes())
  expect(await memory.store.problems()).toEqual([])
  for (const query of ['heron', 'stork', 'old', 'crane']) {
    const said = async (by: Memory): Promise<string[]> =>
      (await by.search(query)).hits.map(({ entry }) => entry.content)
    expect(await said(memory)).toEqual(await said(other))
  }
}

async function damageIn(folder = root): Promise<string[]> {
  const { findings } = await open(folder).store.examine()
  return findings.filter(({ severity }) => severity === 'damage').map(({ code }) => code)
}

function bytesIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
  return new Map(
    files.map((item) => join(item.parentPath, item.name)).map((path) => [path, readFileSync(path, 'latin1')]),
  )
}

describe('a workspace that was deleted and made anew', () => {
  it.each<[string, (memory: Memory, oldId: string) => Promise<unknown>]>([
    ['a read by id', (memory, id) => memory.store.get(id).then((entry) => expect(entry).toBeUndefined())],
    ['a read by name', (memory) => memory.store.resolve('main', 'Old').then((entry) => expect(entry).toBeUndefined())],
    ['a scan', (memory) => contents(memory).then((all) => expect(all).toEqual(['A new stork.']))],
    ['a search', (memory) => memory.search('heron').then(({ hits }) => expect(hits).toEqual([]))],
    ['a named write', (memory) => memory.remember('A crane.', { name: 'After' })],
    ['a write under a name that was', (memory) => memory.remember('A crane.', { name: 'Old' })],
    ['a line of the log', (memory) => memory.remember('A crane.')],
    ['a document', (memory) => memory.reflect('Of a crane.')],
    ['a record of a session', (memory) => memory.store.sessions.append('main', 's', [{ type: 'x' }])],
    ['its past', (memory) => memory.store.changes()],
    ['an absorb', (memory) => memory.store.absorb()],
  ])('is what is read and written to, whatever comes first: %s', async (_, first) => {
    const memory = await old()
    const { id } = (await memory.get('Old')) ?? { id: '' }
    rmSync(root, { recursive: true })
    await fresh()
    await first(memory, id)
    expect(await memory.store.get(id)).toBeUndefined()
    expect((await contents(memory)).join()).not.toMatch(/heron/)
    await expectInStep(memory)
    await memory.remember('A last crane.', { name: 'Last' })
    await expectInStep(memory)
    expect(await damageIn()).toEqual([])
  })

  it('starts the feed over, also for whoever looked while nothing was there', async () => {
    const memory = await old()
    const { cursor } = await memory.store.feed()
    rmSync(root, { recursive: true })
    const nothing = await memory.store.feed(cursor)
    expect([nothing.restarted, nothing.changes]).toEqual([true, []])
    expect([await contents(memory), (await memory.search('heron')).hits]).toEqual([[], []])
    await fresh()
    const feed = await memory.store.feed(cursor)
    expect([feed.restarted, feed.changes.length]).toEqual([true, 1])
    expect((await memory.store.feed(nothing.cursor)).changes).toEqual(feed.changes)
    await expectInStep(memory)
  })

  it('keeps no index of what was', async () => {
    const memory = await old()
    for (let n = 0; n < 80; n++) await memory.remember(`Heron ${n}.`)
    await memory.search('heron')
    rmSync(root, { recursive: true })
    await fresh()
    await memory.close() // saves what is worth saving
    const derived = join(root, '.state/derived')
    expect(existsSync(derived) ? readdirSync(derived) : []).toEqual([])
  })

  it('is noticed by who watches', async () => {
    const memory = await old()
    let last: readonly string[] = []
    const watch = await memory.store.watch(async () => {
      last = await contents(memory)
    })
    const noticed = (content: string): Promise<void> =>
      vi.waitFor(() => expect(last).toContain(content), { timeout: 30_000 })
    rmSync(root, { recursive: true })
    await fresh()
    await open().remember('And one.', { name: 'One' })
    await noticed('And one.')
    await open().remember('And another.', { name: 'Another' })
    await noticed('And another.')
    await watch.stop()
  })

  it('has the settings that it was made with', async () => {
    const memory = await old({ timezone: 'UTC' })
    const free = open()
    await free.list()
    rmSync(root, { recursive: true })
    await fresh(root, { timezone: 'Asia/Kolkata', layout: 'flat' })
    expect(await free.store.settings()).toMatchObject({ timezone: 'Asia/Kolkata', layout: 'flat', agent: 'main' })
    await free.remember('A crane.', { name: 'After' })
    expect(existsSync(join(root, 'entries/after.md'))).toBe(true)
    await expectInStep(free)
    // Who asked for another zone would not have opened it.
    for (const act of [() => memory.list(), () => memory.remember('x', { name: 'X' }), () => memory.store.settings()]) {
      await expect(act()).rejects.toMatchObject({
        code: 'FOREIGN',
        message: expect.stringMatching(/another workspace by now.*timezone: is "UTC".*"Asia\/Kolkata"/),
        hint: expect.stringContaining('Start the program again'),
      })
    }
    expect(await contents(free)).toEqual(['A crane.', 'A new stork.'])
  })

  it('is not gone on with where it is the flat workspace of another agent', async () => {
    const memory = await old({ layout: 'flat', agent: 'scout' })
    rmSync(root, { recursive: true })
    await fresh(root, { layout: 'flat', agent: 'main' })
    const before = bytesIn(join(root, 'entries'))
    await expect(memory.remember('Mine.', { name: 'Mine' })).rejects.toMatchObject({ code: 'FOREIGN' })
    await expect(memory.list()).rejects.toMatchObject({ message: expect.stringContaining('"scout"') })
    expect(bytesIn(join(root, 'entries'))).toEqual(before)
    expect(await damageIn()).toEqual([])
  })

  it('gets nothing of a write that was under way', async () => {
    const refusals: string[] = []
    for (let ticks = 0; ticks < 8; ticks++) {
      const memory = await old()
      const pending = memory.remember('Under way with a heron.', { name: 'Under way' })
      for (let tick = 0; tick < ticks; tick++) await new Promise((resolve) => setImmediate(resolve))
      rmSync(root, { recursive: true })
      const outcome = fresh()
      const written = await pending.catch((error: unknown) => {
        if (!isKeepsakeError(error)) throw error
        refusals.push(error.code)
        return undefined
      })
      await outcome
      const names = (await open().list()).map(({ name }) => name)
      expect(names).toContain('New')
      expect(names).not.toContain('Old')
      // Acknowledged: it came before, and went with the folder; or after, and is there.
      if (!written) expect(names).not.toContain('Under way')
      await memory.remember('A crane.', { name: 'After' })
      await expectInStep(memory)
      expect(await damageIn()).toEqual([])
      rmSync(root, { recursive: true })
    }
    expect(refusals.length).toBeGreaterThan(0)
  })

  it('keeps its lock when a holder of the one before lets go', () => {
    const folder = join(root, '.state/lock')
    const before = tryLock(folder).held
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    symlinkSync('somebody', join(folder, '1'))
    before?.release()
    expect(readdirSync(folder)).toEqual(['1'])
  })
})

describe('a workspace that was moved away', () => {
  it('is left alone, and what was moved to its place is read and written to', async () => {
    const memory = await old()
    await fresh(join(base, 'other'))
    renameSync(root, join(base, 'away'))
    const before = bytesIn(join(base, 'away'))
    renameSync(join(base, 'other'), root)
    expect((await memory.search('heron stork')).hits.map(({ entry }) => entry.content)).toEqual(['A new stork.'])
    await memory.remember('A crane.', { name: 'After' })
    await memory.reflect('Of a crane.')
    await expectInStep(memory)
    expect(bytesIn(join(base, 'away'))).toEqual(before)
    expect([await damageIn(), await damageIn(join(base, 'away'))]).toEqual([[], []])
  })

  it('is itself again when it comes back', async () => {
    const memory = await old()
    await fresh(join(base, 'other'))
    for (let turn = 0; turn < 3; turn++) {
      renameSync(root, join(base, 'away'))
      renameSync(join(base, 'other'), root)
      await memory.remember(`Stork ${turn}.`, { name: 'New' })
      renameSync(root, join(base, 'other'))
      renameSync(join(base, 'away'), root)
      await memory.remember(`Heron ${turn}.`, { name: 'Old' })
    }
    await expectInStep(memory)
    expect((await contents(memory)).join()).not.toContain('stork')
    expect((await open(join(base, 'other')).get('New'))?.content).toBe('Stork 2.')
    expect([await damageIn(), await damageIn(join(base, 'other'))]).toEqual([[], []])
  })

  it('is never mixed with what others make in its place while they all write', async () => {
    await (await old()).close()
    const writers = [1, 2].map(() => spawn(process.execPath, ['--input-type=module', '-e', WRITER, root]))
    const said = writers.map(({ stdout }) => text(stdout))
    await Promise.all(writers.map(({ stderr }) => once(stderr, 'data')))
    for (let round = 0; round < ROUNDS; round++) {
      // At any moment of what they do; nothing depends on which.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
      if (existsSync(root)) renameSync(root, join(base, `away-${round}`))
      const maker = open()
      await maker.store.init().catch((error: unknown) => expect(error).toMatchObject({ code: 'IO' }))
      expect(await damageIn()).toEqual([])
    }
    for (const { stdin } of writers) stdin.end()
    for (const one of said) {
      const { written, worst, codes } = JSON.parse(await one)
      // Before the first round, and after the last; how often between depends on what else the machine does.
      expect(written).toBeGreaterThan(1)
      // Not found, or taken: the folder was another each time between looking up the name and writing to it, three times in a row.
      expect(codes.filter((code: string) => !['IO', 'NOT_FOUND', 'NAME_TAKEN'].includes(code))).toEqual([])
      expect(worst).toBeLessThan(5)
    }
    expect(await damageIn()).toEqual([])
  }, 120_000)

  it('is not mixed with one that has no journal, as a checkout has none', async () => {
    const memory = await old()
    for (const name of ['one', 'two']) {
      await fresh(join(base, name))
      rmSync(join(base, name, '.state'), { recursive: true })
      rmSync(root, { recursive: true })
      renameSync(join(base, name), root)
      expect(await contents(memory)).toEqual(['A new stork.'])
      await expectInStep(memory)
    }
    await memory.remember('A crane.', { name: 'After' })
    await expectInStep(memory)
    expect(await damageIn()).toEqual([])
  })
})

it('a journal of another workspace, put among its own, is refused by who has it open as by who opens it', async () => {
  const memory = await old()
  await fresh(join(base, 'other'))
  const [segment = ''] = readdirSync(join(base, 'other/.state/journal')).filter((name) => name.endsWith('.jsonl'))
  const copy = join(root, '.state/journal', segment.replace(/^\d+/, '00000009'))
  copyFileSync(join(base, 'other/.state/journal', segment), copy)
  await expect(memory.list()).rejects.toMatchObject({ code: 'FOREIGN', message: expect.stringContaining('belongs to') })
  await expect(memory.remember('x')).rejects.toMatchObject({ code: 'FOREIGN' })
  await expect(open().list()).rejects.toMatchObject({ code: 'FOREIGN' })
  rmSync(copy)
  await memory.remember('A crane.', { name: 'After' })
  await expectInStep(memory)
})

it('settings that were lost while it is open are no other workspace', async () => {
  const memory = await old()
  const { id } = await memory.store.settings()
  rmSync(join(root, 'keepsake.yaml'))
  await memory.remember('A crane.', { name: 'After' })
  writeFileSync(join(root, '.state/checkpoint'), '')
  await memory.remember('A second crane.', { name: 'After' })
  expect((await memory.store.settings()).id).toBe(id)
  expect(await contents(memory)).toHaveLength(4)
})
