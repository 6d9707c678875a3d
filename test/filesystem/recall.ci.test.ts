/** The index keeps step with the files, whoever changes them, and losing it changes no answer. */
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Memory } from '../../src/memory.ts'
import type { Operation } from '../../src/model/operation.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'

const run = promisify(execFile)
const library = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href

let root: string
let opened: Memory[]
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'keepsake-recall-')), 'ws')
  opened = []
})
afterEach(async () => {
  for (const memory of opened) await memory.close()
  rmSync(join(root, '..'), { recursive: true, force: true })
})

function open(): Memory {
  const memory = new Memory(filesystemStore({ root, timezone: 'UTC' }), 'main', Date.now)
  opened.push(memory)
  return memory
}

async function fill(memory: Memory, count: number): Promise<void> {
  const adds = Array.from({ length: count }, (_, n): Operation => {
    const content = `Number ${n} is about ${WORDS[n % WORDS.length]} and ${WORDS[(n * 7 + 3) % WORDS.length]}.`
    if (n % 3 === 0) return { op: 'add', scope: 'world', kind: 'topic', name: `Topic ${n}`, content }
    if (n % 3 === 1) return { op: 'add', scope: 'main', kind: 'note', name: `Note ${n}`, content }
    return { op: 'add', scope: 'main', kind: 'experience', content }
  })
  await memory.apply(adds)
}

const WORDS = 'deploy kitchen boiler theatre lighthouse compiler harbour orchard violin glacier lantern meadow'.split(
  ' ',
)

async function answers(memory: Memory): Promise<string> {
  const all = []
  for (const word of [...WORDS, 'number boiler', '"about deploy"', 'lig*']) {
    const { hits } = await memory.search(word, { limit: 20, explain: true })
    all.push([word, hits.map(({ entry, score, why }) => [entry.id, entry.content, score, why])])
  }
  return JSON.stringify(all)
}

async function found(memory: Memory, query: string): Promise<string[]> {
  return (await memory.search(query, { limit: 50 })).hits.map(({ entry }) => entry.content).sort()
}

function snapshots(): string[] {
  const folder = join(root, '.state/derived')
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

function edit(path: string, change: (text: string) => string): void {
  const file = join(root, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

describe('recall in step with the files', () => {
  it("finds another process's write at once, and no longer what it removed", async () => {
    const memory = open()
    await memory.remember('the first text', { name: 'One' })
    expect(await found(memory, 'text')).toEqual(['the first text'])
    const program = `import { openMemory } from ${JSON.stringify(library)}
      const memory = await openMemory({ workspace: ${JSON.stringify(root)}, embeddingModel: 'none' })
      await memory.remember('a second text, of another process', { name: 'Two' })
      await memory.forget('One')
      const { hits } = await memory.search('text')
      console.log(hits.length)
      await memory.close()`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
    expect(stdout.trim()).toBe('1')
    expect(await found(memory, 'text')).toEqual(['a second text, of another process'])
  })

  it('finds what a hand changed, made, moved and removed a moment ago', async () => {
    const memory = open()
    await memory.remember('about the boiler', { name: 'One' })
    await memory.remember('about the lantern', { name: 'Two' })
    await memory.remember('a day with a violin')
    expect(await found(memory, 'about')).toHaveLength(2)
    edit('agents/main/entries/one.md', (text) => text.replace('boiler', 'glacier'))
    expect(await found(memory, 'boiler')).toEqual([])
    expect(await found(memory, 'glacier')).toEqual(['about the glacier'])
    writeFileSync(join(root, 'agents/main/entries/three.md'), 'a bare file about an orchard\n')
    expect(await found(memory, 'orchard')).toEqual(['a bare file about an orchard'])
    renameSync(join(root, 'agents/main/entries/two.md'), join(root, 'agents/main/entries/moved.md'))
    expect(await found(memory, 'lantern')).toEqual(['about the lantern'])
    unlinkSync(join(root, 'agents/main/entries/one.md'))
    expect(await found(memory, 'glacier')).toEqual([])
    const [day] = readdirSync(join(root, 'agents/main/daily'))
    edit(`agents/main/daily/${day}`, (text) => text.replace('violin', 'compiler'))
    expect(await found(memory, 'violin')).toEqual([])
    expect(await found(memory, 'compiler')).toEqual(['a day with a compiler'])
  })

  it('finds an edit that was taken back, and one that became a change', async () => {
    const memory = open()
    await memory.remember('about the boiler', { name: 'One' })
    const file = join(root, 'agents/main/entries/one.md')
    const before = readFileSync(file, 'utf8')
    edit('agents/main/entries/one.md', (text) => text.replace('boiler', 'glacier'))
    expect(await found(memory, 'glacier')).toHaveLength(1)
    writeFileSync(file, before)
    expect(await found(memory, 'boiler')).toHaveLength(1)
    expect(await found(memory, 'glacier')).toEqual([])
    edit('agents/main/entries/one.md', (text) => text.replace('boiler', 'orchard'))
    expect(await found(memory, 'orchard')).toHaveLength(1)
    await memory.absorb()
    expect(await found(memory, 'orchard')).toHaveLength(1)
    await memory.undo({ by: 'hand', last: 1 })
    expect(await found(memory, 'orchard')).toEqual([])
    expect(await found(memory, 'boiler')).toHaveLength(1)
  })

  it('finds nothing of what was purged', async () => {
    const memory = open()
    await fill(memory, 90)
    await memory.remember('the password is swordfish', { name: 'Secret' })
    expect(await found(memory, 'swordfish')).toHaveLength(1)
    await memory.purge('Secret')
    expect(await found(memory, 'swordfish')).toEqual([])
    for (const path of snapshots()) expect(readFileSync(path).includes('swordfish')).toBe(false)
    expect(await found(open(), 'swordfish')).toEqual([])
  })

  it('searches the memory as it was', async () => {
    const memory = open()
    await memory.remember('about the boiler', { name: 'One' })
    const then = new Date().toISOString()
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(then)), { interval: 1 })
    await memory.remember('about the glacier', { name: 'One' })
    const past = await memory.asOf(then)
    expect(await found(past, 'boiler')).toEqual(['about the boiler'])
    expect(await found(past, 'glacier')).toEqual([])
    expect(await found(memory, 'boiler')).toEqual([])
  })
})

describe('the snapshot of the index', () => {
  it('changes no answer: without it, with it, after more writes, and when it is deleted', async () => {
    await fill(open(), 300)
    const fresh = await answers(open())
    expect(snapshots()).toHaveLength(2)
    expect(await answers(open())).toBe(fresh)
    const memory = open()
    await memory.remember('one more about the deploy', { name: 'More' })
    await memory.forget('Note 1')
    const after = await answers(memory)
    expect(after).not.toBe(fresh)
    expect(await answers(open())).toBe(after)
    for (const path of snapshots()) rmSync(path)
    expect(await answers(memory)).toBe(after)
    expect(await answers(open())).toBe(after)
  })

  it('is made anew, silently, when it is damaged, cut, empty or of someone else', async () => {
    await fill(open(), 200)
    const fresh = await answers(open())
    const [path = ''] = snapshots()
    const good = readFileSync(path)
    const bad = new Map<string, Buffer>([
      ['empty', Buffer.alloc(0)],
      ['cut', good.subarray(0, good.length >> 1)],
      ['another file', Buffer.from('# A heading\n\nand a text\n')],
      ['a byte off', Buffer.from(good.map((byte, n) => (n === good.length >> 1 ? byte ^ 1 : byte)))],
      ['zeros', Buffer.alloc(good.length)],
    ])
    for (const [what, bytes] of bad) {
      writeFileSync(path, bytes)
      expect(await answers(open()), what).toBe(fresh)
      expect(readFileSync(path).length, what).toBeGreaterThan(1000)
    }
  })

  it('starts over when the journal is another one', async () => {
    await fill(open(), 150)
    await answers(open())
    rmSync(join(root, '.state/journal'), { recursive: true })
    rmSync(join(root, '.state/checkpoint'), { force: true })
    edit('agents/main/entries/note-1.md', (text) => text.replace('Number 1 ', 'Numero 1 '))
    const memory = open()
    expect(await found(memory, 'numero')).toHaveLength(1)
    await memory.remember('written in the new epoch about a lantern', { name: 'Late' })
    expect(await found(memory, 'epoch')).toHaveLength(1)
    expect(await found(open(), 'epoch')).toHaveLength(1)
  })

  it('is not written to a workspace that nobody has written to', async () => {
    mkdirSync(join(root, 'agents/main/entries'), { recursive: true })
    for (let n = 0; n < 100; n++)
      writeFileSync(join(root, `agents/main/entries/n${n}.md`), `bare file ${n} on boilers\n`)
    expect(await found(open(), 'boiler')).toHaveLength(50)
    expect(readdirSync(root).sort()).toEqual(['agents'])
  })

  it('is done without where it can not be saved', async () => {
    await fill(open(), 150)
    writeFileSync(join(root, '.state/derived'), 'a file where a folder should be')
    expect((await found(open(), 'boiler')).length).toBeGreaterThan(5)
    expect(readFileSync(join(root, '.state/derived'), 'utf8')).toBe('a file where a folder should be')
  })

  it('gives every agent the same world', async () => {
    const memory = open()
    await fill(memory, 120)
    await answers(memory)
    const other = new Memory(filesystemStore({ root, timezone: 'UTC' }), 'other', Date.now)
    opened.push(other)
    const { hits } = await other.search('deploy', { limit: 50 })
    expect(hits.every(({ entry }) => entry.scope === 'world')).toBe(true)
    expect(hits.length).toBeGreaterThan(0)
  })
})

describe('many at once', () => {
  it('searches and writes side by side without a wrong answer', async () => {
    const memory = open()
    await fill(memory, 60)
    const work = Array.from({ length: 40 }, async (_, n) => {
      await memory.remember(`unusual word zebra${n} here`, { name: `Zebra ${n}` })
      const { hits } = await memory.search(`zebra${n}`)
      return hits[0]?.entry.name
    })
    expect(await Promise.all(work)).toEqual(Array.from({ length: 40 }, (_, n) => `Zebra ${n}`))
  })
})

describe('a document that is no text', () => {
  it('is an error, not taken for missing', async () => {
    const memory = open()
    await memory.remember('something')
    writeFileSync(join(root, 'recall.tests.md'), Buffer.from([0x61, 0xff, 0xfe]))
    await expect(memory.store.document('recall.tests.md')).rejects.toMatchObject({ code: 'DAMAGED' })
  })
})
