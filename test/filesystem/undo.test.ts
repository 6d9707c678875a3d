/** Undo restores every file byte for byte: random changes by agents and by editors, over restarts. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { isNightly, seed } from '../tier.ts'

const CHANGES = isNightly ? 1000 : 30

let base: string
let root: string
let ms: number
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-undo-'))
  root = join(base, 'ws')
  ms = Date.parse('2026-05-01T08:00:00Z')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function open(): Memory {
  const clock = (): number => ms
  return new Memory(filesystemStore({ root, timezone: 'UTC', clock }), 'main', clock)
}

/** Everything that people would see, byte by byte. */
function tree(): Map<string, string> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('.state') && file !== 'keepsake.yaml')
    .filter((file) => statSync(join(root, file)).isFile())
    .sort()
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'latin1')]))
}

function randomly(start: number): (below: number) => number {
  let state = start >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const DAY = 86_400_000

/** One thing that an agent or a person might do; it may turn out to change nothing. */
async function act(memory: Memory, random: (below: number) => number, n: number): Promise<void> {
  ms += 1000 + random(DAY / 20)
  const name = `Note ${random(8)}`
  const text = `text ${n}\n\n## 12:00\n---\n- ${'word '.repeat(random(30))}end`
  switch (random(12)) {
    case 0:
    case 1:
      await memory.remember(`line ${n}`)
      return
    case 2:
    case 3:
      await memory.remember(text, { name, metadata: { n }, description: `about ${n}` })
      return
    case 4:
      await memory.learnFact(`Topic ${random(4)}`, text)
      return
    case 5:
      await memory.reflect(`# Memory\n\n${text}`)
      return
    case 6:
      if (await memory.get(name)) await memory.rename(name, `Note ${random(8)}`).catch(() => undefined)
      return
    case 7:
      if (await memory.get(name)) await memory.forget(name)
      return
    case 8:
      await memory.apply([
        { op: 'add', scope: 'main', kind: 'history', content: `history ${n}` },
        { op: 'add', scope: 'main', kind: 'conversation', content: `user: ${n}` },
      ])
      return
    default:
      byHand(random, n)
      await memory.absorb()
  }
}

function byHand(random: (below: number) => number, n: number): void {
  // The mirror is not read for what the monthly files say, so an edit there is none of an entry.
  const files = [...tree().keys()].filter((file) => file.endsWith('.md') && !file.endsWith('/HISTORY.md'))
  const file = files[random(files.length)]
  if (file === undefined || random(6) === 0) {
    mkdirSync(join(root, 'agents/main/entries'), { recursive: true })
    writeFileSync(join(root, `agents/main/entries/by hand ${n}.md`), `# Written by hand\n\nnumber ${n}\n\n\n`)
    return
  }
  const path = join(root, file)
  const bytes = readFileSync(path)
  switch (random(5)) {
    case 0:
      rmSync(path)
      return
    case 1:
      if (file.includes('/entries/')) renameSync(path, join(dirname(path), `moved ${n}.md`))
      return
    default:
      writeFileSync(path, Buffer.concat([bytes, Buffer.from(`by hand ${n}  \r\nsecond line\n\n\n`)]))
  }
}

describe(`undo (seed ${seed})`, () => {
  it(`gives the bytes back, ${CHANGES} changes one after the other, and again by undoing undos`, async () => {
    const random = randomly(seed)
    let memory = open()
    const before = new Map<number, Map<string, string>>()
    // By an agent: what hands had made before the first write would be found, and not be a change.
    await memory.remember('the beginning')
    before.set(1, new Map())
    let shown = tree()
    let last = 1
    let restarts = 0
    const restart = async (count: number): Promise<void> => {
      if (count % 5 !== 0) return
      memory = await reopened(memory)
      restarts++
    }
    for (let n = 2; last < CHANGES; n++) {
      await act(memory, random, n)
      const [newest] = await numbers(memory, last)
      if (newest === undefined) continue
      before.set(last + 1, shown)
      shown = tree()
      last = newest
      await restart(before.size)
    }
    expect(restarts).toBeGreaterThan(1)
    for (let number = last; number >= 1; number--) {
      const { change } = await memory.undo({ changes: [number] })
      expect(change?.reverts, `seed ${seed}`).toEqual([number])
      // An edit by hand may have been told as several changes, one a file.
      const then = before.get(number)
      if (then) expect(tree(), `seed ${seed}, change ${number}`).toEqual(then)
      await restart(number)
    }
    // Every undo is undone, the newest first: the way back up.
    const undos = await memory.log({ by: 'undo', limit: 10_000 })
    for (const [index, { change }] of undos.entries()) {
      await memory.undo({ changes: [change.number] })
      const next = before.get(index + 2)
      if (next) expect(tree(), `seed ${seed}, redone ${index + 1}`).toEqual(next)
      await restart(index)
    }
    expect(tree(), `seed ${seed}`).toEqual(shown)
    await memory.close()
  }, 600_000)

  it('gives an entry that replaces another under its name the file of that, and both their bytes back', async () => {
    let memory = open()
    const raw = await memory.remember('all that was said', { kind: 'archive', name: 'chat-1' })
    const path = join(root, raw.entry.path ?? '')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^---$/m, '---\nmood: good # mine'))
    await memory.get(raw.entry.id)
    const before = tree()
    const { entries, change, warnings } = await memory.apply([
      { op: 'remove', id: raw.entry.id },
      { op: 'add', scope: 'main', kind: 'archive', name: 'chat-1', content: 'in short' },
    ])
    const after = tree()
    const summary = entries.find(({ content }) => content === 'in short')
    expect([summary?.path, warnings, [...after.keys()]]).toEqual([raw.entry.path, [], [...before.keys()]])
    expect(readFileSync(path, 'utf8')).not.toMatch(/mood|all that was said/)
    memory = await reopened(memory)
    expect((await memory.list({ kinds: ['archive'] })).map(({ id }) => id)).toEqual([summary?.id])
    const undone = await memory.undo({ changes: [change?.number ?? 0] })
    expect(tree()).toEqual(before)
    memory = await reopened(memory)
    expect((await memory.list({ kinds: ['archive'] })).map(({ id }) => id)).toEqual([raw.entry.id])
    await memory.undo({ changes: [undone.change?.number ?? 0] })
    expect(tree()).toEqual(after)
    memory = await reopened(memory)
    writeFileSync(path, readFileSync(path, 'utf8').replace('in short', 'in short, by hand'))
    expect(await memory.get(summary?.id ?? '')).toMatchObject({ content: 'in short, by hand' })
    await memory.close()
  })

  it('lets a renamed entry take the file of one that goes, with what people added to its own', async () => {
    const memory = open()
    const gone = await memory.remember('old', { name: 'Deploys' })
    const kept = await memory.remember('text', { name: 'Draft' })
    const path = join(root, kept.entry.path ?? '')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^---$/m, '---\nmood: good # mine'))
    const before = tree()
    const { change } = await memory.apply([
      { op: 'remove', id: gone.entry.id },
      { op: 'rename', id: kept.entry.id, name: 'Deploys' },
    ])
    expect([...tree().keys()]).toEqual([gone.entry.path])
    expect(tree().get(gone.entry.path ?? '')).toMatch(/mood: good # mine[\s\S]*text/)
    await memory.undo({ changes: [change?.number ?? 0] })
    expect(tree()).toEqual(before)
    await memory.close()
  })

  async function numbers(memory: Memory, after: number): Promise<number[]> {
    const { changes } = await memory.store.feed()
    return changes
      .map(({ number }) => number)
      .filter((number) => number > after)
      .reverse()
  }

  async function reopened(memory: Memory): Promise<Memory> {
    await memory.close()
    return open()
  }
})
