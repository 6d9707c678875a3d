/** Hands and the past together: copies, moves, swapped files, names that were taken, bulk removals, what was there before. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Memory, type Undone } from '../../src/memory.ts'
import { TICK_MS } from '../../src/stores/disk/reading.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'

let base: string
let root: string
const memories: Memory[] = []
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-hands-'))
  root = join(base, 'ws')
})
afterEach(async () => {
  for (const memory of memories.splice(0)) await memory.close()
  rmSync(base, { recursive: true, force: true })
})

function open(agent = 'main'): Memory {
  const memory = new Memory(filesystemStore({ root, timezone: 'UTC', agent: 'main' }), agent, Date.now)
  memories.push(memory)
  return memory
}

function at(path: string): string {
  return join(root, path)
}

const ENTRIES = 'agents/main/entries'

async function texts(memory: Memory): Promise<string[]> {
  return (await memory.list()).map(({ content }) => content).sort()
}

/** The newest external edit; it is found first where nobody has looked yet. */
function undoEdits(memory: Memory): Promise<Undone> {
  return memory.undo({ by: 'hand', last: 1 })
}

describe('a copy made by hand', () => {
  it('stays an entry of its own when the original is gone', async () => {
    const memory = open()
    await memory.remember('body', { name: 'original' })
    const text = readFileSync(at(`${ENTRIES}/original.md`), 'utf8')
      .replace('name: original', 'name: m')
      .replace('body', 'precious')
    writeFileSync(at(`${ENTRIES}/m.md`), text)
    await memory.absorb()
    await memory.forget('original')
    expect(await texts(memory)).toEqual(['precious'])
    expect((await open().get('m'))?.content).toBe('precious')
    await open().remember('rewritten', { name: 'm' })
    await open().undo()
    expect((await open().get('m'))?.content).toBe('precious')
  })

  it('of a log keeps its entries when the log is gone', async () => {
    const memory = open()
    await memory.remember('line')
    const [day = ''] = readdirSync(at('agents/main/daily'))
    cpSync(at(`agents/main/daily/${day}`), at('agents/main/daily/2026-01-02.md'))
    await memory.absorb()
    rmSync(at(`agents/main/daily/${day}`))
    expect(await texts(open())).toEqual(['line'])
    await open().absorb()
    expect(await texts(open())).toEqual(['line'])
  })

  it('that was removed comes back by undo, though it has the name of the original', async () => {
    const memory = open()
    await memory.remember('body', { name: 'a' })
    cpSync(at(`${ENTRIES}/a.md`), at(`${ENTRIES}/b.md`))
    await memory.absorb()
    rmSync(at(`${ENTRIES}/b.md`))
    await undoEdits(memory)
    expect(await texts(memory)).toEqual(['body', 'body'])
  })
})

describe('a move by hand', () => {
  it('of a page is one change, and one undo puts it back', async () => {
    const memory = open()
    await memory.learnFact('a', 'first')
    renameSync(at('world/a.md'), at('world/c.md'))
    expect((await memory.absorb()).changes).toHaveLength(1)
    await undoEdits(memory)
    expect(readdirSync(at('world'))).toEqual(['a.md'])
    expect((await memory.get('a'))?.content).toBe('first')
  })

  it('that swaps two files is one change, and one undo swaps them back', async () => {
    const memory = open()
    await memory.remember('first', { name: 'a' })
    await memory.remember('second', { name: 'b' })
    const before = [readFileSync(at(`${ENTRIES}/a.md`), 'utf8'), readFileSync(at(`${ENTRIES}/b.md`), 'utf8')]
    renameSync(at(`${ENTRIES}/a.md`), at(`${ENTRIES}/t`))
    renameSync(at(`${ENTRIES}/b.md`), at(`${ENTRIES}/a.md`))
    renameSync(at(`${ENTRIES}/t`), at(`${ENTRIES}/b.md`))
    const { change } = await undoEdits(memory)
    expect(change?.reverts).toEqual([3])
    expect([readFileSync(at(`${ENTRIES}/a.md`), 'utf8'), readFileSync(at(`${ENTRIES}/b.md`), 'utf8')]).toEqual(before)
    expect((await memory.undo()).change?.reverts).toEqual([2])
  })

  it('to another agent is neither undone nor hidden from the one who lost it', async () => {
    const alice = open('alice')
    await alice.remember('hers', { name: 'x' })
    mkdirSync(at('agents/bob/entries'), { recursive: true })
    renameSync(at('agents/alice/entries/x.md'), at('agents/bob/entries/x.md'))
    expect(await texts(open('bob'))).toEqual(['hers'])
    expect(await alice.log()).toHaveLength(2)
    await expect(alice.undo({ changes: [2] })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(alice.undo({ changes: [1], withLater: true })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await texts(open('bob'))).toEqual(['hers'])
  })
})

describe('undo', () => {
  it('reverts the last change, not an earlier edit that is only found now', async () => {
    const memory = open()
    await memory.remember('first', { name: 'a' })
    const path = at(`${ENTRIES}/a.md`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('first', 'edited'))
    await memory.remember('second', { name: 'b' })
    const { undone, warnings } = await memory.undo()
    expect(undone.map(({ change }) => change.number)).toEqual([2])
    expect(warnings).toEqual(['change 3 is an external edit and was not undone; undo it by its number'])
    expect(await texts(memory)).toEqual(['edited'])
    await memory.undo({ changes: [3] })
    expect(await texts(memory)).toEqual(['first'])
  })

  it('brings back a text that a hand had emptied', async () => {
    const memory = open()
    await memory.learnFact('t', 'x one')
    writeFileSync(at('world/t.md'), '')
    // Long enough ago that no editor is about to write it.
    utimesSync(at('world/t.md'), 0, 0)
    await memory.learnFact('t', 'y two')
    await memory.undo()
    expect(readFileSync(at('world/t.md'), 'utf8')).toBe('')
    await undoEdits(memory)
    expect((await memory.get('t'))?.content).toBe('x one')
  })

  it('of a removal whose name was taken since is a conflict, and takes the taker back where that is wanted', async () => {
    const memory = open()
    await memory.remember('first', { name: 'n' })
    await memory.forget('n')
    await memory.remember('second', { name: 'n' })
    await expect(memory.undo({ changes: [2] })).rejects.toMatchObject({ code: 'CONFLICT', data: { later: [3] } })
    await memory.undo({ changes: [2], withLater: true })
    expect(await texts(memory)).toEqual(['first'])
    expect(await memory.store.problems()).toEqual([])
  })

  it('of a change that is partly of another agent is refused', async () => {
    const alice = open('alice')
    await alice.remember('hers', { name: 'x' })
    await alice.learnFact('t', 'shared')
    await alice.undo({ last: 2 })
    await expect(open('bob').undo({ changes: [3] })).rejects.toMatchObject({ code: 'CONFLICT' })
    await alice.undo({ changes: [3] })
    expect(await texts(open('alice'))).toEqual(['hers', 'shared'])
  })

  it('passes over a newer change that is partly of another agent, and says so', async () => {
    const bob = open('bob')
    await bob.remember('his', { name: 'y' })
    const add = (scope: string) => ({ op: 'add', kind: 'note', scope, name: 'z', content: 'of both' }) as const
    await bob.store.apply({ operations: [add('alice'), add('bob')], origin: { by: 'import' } })
    const { undone, warnings } = await bob.undo()
    expect(undone.map(({ change }) => change.number)).toEqual([1])
    expect(warnings).toEqual(['change 2 was passed over: it also changed what belongs to another agent'])
  })

  it('leaves alone what was there when the journal began', async () => {
    mkdirSync(at('world'), { recursive: true })
    writeFileSync(at('world/t.md'), 'older\n')
    const memory = open()
    await expect(memory.undo()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    writeFileSync(at('world/t.md'), 'edited\n')
    await undoEdits(memory)
    expect(readFileSync(at('world/t.md'), 'utf8')).toBe('older\n')
    rmSync(at('.state'), { recursive: true })
    await expect(open().undo()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await texts(open())).toEqual(['older'])
  })

  it.each([5, 'x', null, [1]])('refuses what is no request: %j', async (request) => {
    const memory = open()
    await memory.remember('kept')
    // @ts-expect-error a program in JavaScript may give anything
    await expect(memory.undo(request)).rejects.toMatchObject({ code: 'INVALID' })
    expect(await texts(memory)).toEqual(['kept'])
  })
})

describe('a removal in bulk', () => {
  it('stays held back though some of it is written over, until it is accepted', async () => {
    const memory = open()
    for (let n = 1; n <= 12; n++) await memory.remember(`text ${n}`, { name: `n${n}` })
    rmSync(at(ENTRIES), { recursive: true })
    await memory.remember('new', { name: 'n1' })
    await memory.remember('new', { name: 'n2' })
    await memory.undo()
    const { heldBack } = await open().absorb()
    expect(heldBack.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, n) => `n${n + 3}`))
    expect((await memory.store.problems()).map(({ problem }) => problem).join()).toMatch(/gone from the folder/)
    expect((await open().accept()).changes).toHaveLength(10)
    expect((await open().absorb()).heldBack).toEqual([])
  })
})

describe('as of', () => {
  it('now knows what hands have done that no change tells of yet', async () => {
    const memory = open()
    await memory.learnFact('t', 'one')
    await memory.learnFact('gone', 'soon')
    writeFileSync(at('world/t.md'), 'two\n')
    writeFileSync(at('world/u.md'), 'new\n')
    rmSync(at('world/gone.md'))
    const now = await memory.asOf(new Date(Date.now() + 1000).toISOString())
    expect(await texts(now)).toEqual(['new', 'two'])
    expect(await memory.store.feed()).toMatchObject({ cursor: { number: 2 } })
  })
})

describe('as of a time before the first change', () => {
  it('nothing was there, also when a hand made the first one', async () => {
    const store = filesystemStore({ root, timezone: 'UTC' })
    await store.init()
    await store.close()
    mkdirSync(at('world'))
    writeFileSync(at('world/t.md'), 'by hand\n')
    const memory = open()
    expect(await memory.log()).toHaveLength(1)
    expect(await texts(await memory.asOf('2020-01-01T00:00:00Z'))).toEqual([])
  })
})

describe('the mirror of the history', () => {
  it('counts for what no monthly file has, also when it was rewritten before', async () => {
    const memory = open()
    const add = (content: string) => ({ op: 'add', scope: 'main', kind: 'history', content }) as const
    await memory.apply([add('one')])
    const { entries } = await memory.apply([add('two')])
    await memory.forget(entries[0]?.id ?? '')
    await memory.close()
    const [month = ''] = readdirSync(at('agents/main')).filter((name) => name.startsWith('HISTORY-'))
    // Within a tick, two saves can have the same ctime.
    const { ctimeMs } = statSync(at(`agents/main/${month}`))
    await vi.waitFor(() => expect(Date.now() - ctimeMs).toBeGreaterThan(TICK_MS), { interval: 5 })
    rmSync(at(`agents/main/${month}`))
    expect(await texts(open())).toEqual(['one'])
  })
})
