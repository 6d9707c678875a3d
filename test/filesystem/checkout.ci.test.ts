/**
 * A checkout, a restored older copy and a clone are taken as they are: shown at once, journaled as a hand's changes when the
 * log is asked for, removals in bulk only once accepted, and never put back by us, not even right after a write or a kill.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'

const dist = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href
const hasGit = spawnSync('git', ['--version']).status === 0
if (!hasGit) console.warn('SKIPPED: no git found')
const TOPICS = 20

let base: string
let root: string
const stores: Store[] = []
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-checkout-'))
  root = join(base, 'ws')
})
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  rmSync(base, { recursive: true, force: true })
})

function open(folder = root): Memory {
  const store = filesystemStore({ root: folder, timezone: 'UTC' })
  stores.push(store)
  return new Memory(store, 'main', Date.now)
}

/** Everything that people see, byte by byte. */
function tree(folder = root): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('.'))
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort()
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
}

function git(...args: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false']
  execFileSync('git', [...who, ...args], { cwd: root, stdio: 'pipe' })
}

async function fill(memory: Memory): Promise<void> {
  for (let n = 0; n < TOPICS; n++) await memory.learnFact(`topic ${n}`, `first text ${n}`)
  await memory.remember('A line of the log.')
  await memory.remember('Every Friday.', { name: 'Deploys' })
}

async function change(memory: Memory): Promise<void> {
  await memory.learnFact('topic 0', 'second text 0')
  await memory.learnFact('topic 1', 'second text 1')
  await memory.remember('Another line of the log.')
  await memory.learnFact('a new one', 'not in the older state')
}

async function contents(memory: Memory): Promise<string[]> {
  return (await memory.list()).map((entry) => entry.content).sort()
}

async function killedWrite(): Promise<void> {
  const program = `import { openMemory } from ${JSON.stringify(dist)}
    const memory = await openMemory({ workspace: ${JSON.stringify(root)} })
    await memory.learnFact('topic 0', 'third text 0')
    process.kill(process.pid, 'SIGKILL')`
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
  expect(signal).toBe('SIGKILL')
}

/** Shown at once and without a write; journaled as the hand's when asked; not a byte of it put back. */
async function expectTakenAsItIs(memory: Memory, wanted: Map<string, string>, texts: readonly string[]): Promise<void> {
  expect(await contents(memory)).toEqual(texts)
  expect(await contents(open())).toEqual(texts)
  expect(tree()).toEqual(wanted)
  const before = (await memory.store.feed()).cursor
  await memory.store.absorb()
  const { changes } = await memory.store.feed(before)
  expect(changes.length).toBeGreaterThan(0)
  expect(new Set(changes.map(({ origin }) => origin.by))).toEqual(new Set(['hand']))
  expect(tree()).toEqual(wanted)
  await memory.remember('After it all.', { name: 'After' })
  const after = tree()
  after.delete('agents/main/entries/after.md')
  expect(after).toEqual(wanted)
  expect(await memory.store.problems()).toEqual([])
}

describe.skipIf(!hasGit)('a checkout of an older commit', () => {
  let memory: Memory
  let older: Map<string, string>
  let olderTexts: string[]
  let newer: Map<string, string>
  beforeEach(async () => {
    memory = open()
    await fill(memory)
    git('init', '-q')
    git('add', '.')
    git('commit', '-q', '-m', 'one')
    ;[older, olderTexts] = [tree(), await contents(memory)]
    await change(memory)
    git('add', '.')
    git('commit', '-q', '-m', 'two')
    newer = tree()
  })

  it('is taken as it is, right after a write', async () => {
    git('checkout', '-q', 'HEAD~1')
    await expectTakenAsItIs(memory, older, olderTexts)
  })

  it('is taken as it is by a process that has just begun', async () => {
    git('checkout', '-q', 'HEAD~1')
    await expectTakenAsItIs(open(), older, olderTexts)
  })

  it('is taken as it is after a process was killed right after its write', async () => {
    await killedWrite()
    git('checkout', '-q', '-f', 'HEAD~1')
    await expectTakenAsItIs(open(), older, olderTexts)
  })

  it('can be undone, change by change, to the bytes before it', async () => {
    git('checkout', '-q', 'HEAD~1')
    const { changes } = await memory.store.absorb()
    await memory.undo({ changes: changes.map(({ number }) => number) })
    expect(tree()).toEqual(newer)
  })

  it('and back again leaves nothing to journal', async () => {
    git('checkout', '-q', 'HEAD~1')
    await contents(memory)
    git('checkout', '-q', '-')
    expect((await memory.store.absorb()).changes).toEqual([])
    expect(tree()).toEqual(newer)
  })
})

describe.skipIf(!hasGit)('a checkout of a branch without most entries', () => {
  it('is shown at once, reported, and journaled as removed only once accepted', async () => {
    const memory = open()
    await fill(memory)
    git('init', '-q')
    git('checkout', '-q', '-b', 'full')
    git('add', '.')
    git('commit', '-q', '-m', 'one')
    git('checkout', '-q', '-b', 'small')
    git('rm', '-q', '-r', 'world')
    git('commit', '-q', '-m', 'few')
    git('checkout', '-q', 'full')
    await memory.remember('Every Monday.', { name: 'Deploys' })
    git('checkout', '-q', '-f', 'small')

    const wanted = tree()
    expect((await memory.list()).filter(({ kind }) => kind === 'topic')).toEqual([])
    expect((await memory.store.problems()).map(({ problem }) => problem)).toEqual([
      expect.stringContaining(`${TOPICS} of`),
    ])
    const held = await memory.store.absorb()
    expect(held.heldBack).toHaveLength(TOPICS)
    const removals = async (): Promise<number> =>
      (await memory.store.feed()).changes.flatMap(({ operations }) => operations).filter(({ op }) => op === 'remove')
        .length
    expect(await removals()).toBe(0)
    expect(tree()).toEqual(wanted)
    // Not accepted, and back: as if nothing had been.
    git('checkout', '-q', '-f', 'full')
    expect((await memory.list()).filter(({ kind }) => kind === 'topic')).toHaveLength(TOPICS)
    expect(await memory.store.problems()).toEqual([])
    git('checkout', '-q', '-f', 'small')
    const accepted = await memory.store.absorb({ acceptRemovals: true })
    expect(accepted.changes.length).toBeGreaterThan(0)
    expect(await removals()).toBe(TOPICS)
    expect(await memory.store.problems()).toEqual([])
    expect(tree()).toEqual(wanted)
  })
})

describe('an older copy that was put back', () => {
  for (const killed of [false, true]) {
    it(`is taken as it is${killed ? ', after a kill' : ''}`, async () => {
      const memory = open()
      await fill(memory)
      const [older, texts] = [tree(), await contents(memory)]
      cpSync(root, join(base, 'copy'), { recursive: true, filter: (path) => !path.includes('/.state') })
      await change(memory)
      if (killed) await killedWrite()
      for (const name of ['world', 'agents']) {
        rmSync(join(root, name), { recursive: true })
        cpSync(join(base, 'copy', name), join(root, name), { recursive: true })
      }
      await expectTakenAsItIs(killed ? open() : memory, older, texts)
    })
  }

  it('of one file, right after our write of it, stays', async () => {
    const memory = open()
    await memory.learnFact('topic', 'first')
    const old = readFileSync(join(root, 'world/topic.md'))
    await memory.learnFact('topic', 'second')
    writeFileSync(join(root, 'world/topic.md'), old)
    expect((await memory.get('topic'))?.content).toBe('first')
    expect((await open().get('topic'))?.content).toBe('first')
    await memory.remember('another write')
    await open().remember('and of another process')
    expect(readFileSync(join(root, 'world/topic.md'))).toEqual(old)
  })
})

describe('a clone without .state/', () => {
  it('is the same memory, and goes on from there', async () => {
    const memory = open()
    await fill(memory)
    await change(memory)
    const clone = join(base, 'clone')
    cpSync(root, clone, { recursive: true, filter: (path) => !path.includes('/.state') })
    const wanted = tree()
    const cloned = open(clone)
    expect(await contents(cloned)).toEqual(await contents(memory))
    expect(existsSync(join(clone, '.state'))).toBe(false)
    await cloned.learnFact('topic 0', 'in the clone')
    expect((await cloned.undo()).undone).toHaveLength(1)
    expect(tree(clone)).toEqual(wanted)
    expect(await cloned.store.problems()).toEqual([])
  })
})
