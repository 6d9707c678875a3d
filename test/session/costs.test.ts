/** Costs of long sessions, counted in the records that are read from their transcripts and in look-ups of entries. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory, type Session } from '../../src/memory.ts'
import { block } from '../../src/model/injected.ts'
import type { SessionRecord, Sessions, Store } from '../../src/ports/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { exchanges, talk } from './places.ts'
import { untold } from './untold.ts'
import { Workspace } from './workspace.ts'

interface Counts {
  /** Records that were read. */
  records: number
  /** Look-ups of entries by their ids. */
  gets: number
}

/** More than any page holds of the turns in these tests. */
const PAGE_RECORDS = 700
/** Recent enough that what slides out becomes entries. */
const AT_MS = Date.now() - 86_400_000

let workspace: Workspace
let opened: Memory[]
beforeEach(() => {
  workspace = new Workspace()
  opened = []
})
afterEach(async () => {
  for (const memory of opened) await memory.close()
  await workspace.remove()
})

/** As a new process would open it. */
function open(): { readonly memory: Memory; readonly counts: Counts } {
  const counts: Counts = { records: 0, gets: 0 }
  const memory = new Memory(
    counting(filesystemStore({ root: workspace.root, timezone: 'UTC' }), counts),
    'main',
    Date.now,
  )
  opened.push(memory)
  return { memory, counts }
}

function counting(store: Store, counts: Counts): Store {
  const { sessions } = store
  const counted = <T extends { readonly records: readonly SessionRecord[] }>(page: T | undefined): T | undefined => {
    counts.records += page?.records.length ?? 0
    return page
  }
  const reading: Sessions = {
    append: (...args) => sessions.append(...args),
    list: (...args) => sessions.list(...args),
    read: async (...args) => counted(await sessions.read(...args)),
    readBefore: async (...args) => counted(await sessions.readBefore(...args)),
  }
  return {
    ...store,
    sessions: reading,
    get: (...args) => {
      counts.gets++
      return store.get(...args)
    },
  }
}

/** Runs something and gives what it read. */
async function costOf(counts: Counts, run: () => Promise<unknown>): Promise<Counts> {
  Object.assign(counts, { records: 0, gets: 0 })
  await run()
  return { ...counts }
}

/** Turns `t0`, `t1` … as a session with a window of five exchanges leaves them in its transcript, without their entries. */
async function write(key: string, count: number): Promise<void> {
  const store = filesystemStore({ root: workspace.root, timezone: 'UTC' })
  for (let from = 0; from < count; from += 100) {
    const to = Math.min(from + 100, count)
    const turns = Array.from({ length: to - from }, (_, n) => turn(from + n))
    await store.sessions.append('main', key, turns)
  }
  if (count > 10) await store.sessions.append('main', key, [{ type: 'slid', at: at(count), through: `t${count - 11}` }])
  await store.close()
}

function turn(n: number): SessionRecord {
  return { type: 'turn', id: `t${n}`, at: at(n), role: n % 2 === 0 ? 'user' : 'assistant', content: `turn ${n}` }
}

function at(n: number): string {
  return new Date(AT_MS + n * 1000).toISOString()
}

describe('append with an id', () => {
  const says = (session: Session, id: string): Promise<unknown> =>
    session.append({ id, role: 'user', content: `says ${id}` })

  it('reads as little at turn 4,000 as at turn 40, and the transcript once in a new process', async () => {
    const perAppend: Counts[] = []
    for (const count of [40, 4000]) {
      await write(`of ${count}`, count)
      const { memory, counts } = open()
      const session = memory.session(`of ${count}`)
      const first = await costOf(counts, () => says(session, 'first'))
      // Once for the ids, once for what was injected, and a page each for what a crash left undone and for what slides out.
      expect(first.records).toBeLessThanOrEqual(2 * count + 2 * PAGE_RECORDS)
      await says(session, 'second')
      perAppend.push(await costOf(counts, () => says(session, 'third')))
    }
    expect(perAppend[1]).toEqual(perAppend[0])
    expect(perAppend[1]?.records).toBeLessThan(20)
  })

  it('is refused if another process has appended that id since, and only what was added is read', async () => {
    await write('chat', 2000)
    const { memory, counts } = open()
    const session = memory.session('chat')
    await says(session, 'a')
    await says(open().memory.session('chat'), 'b')
    const cost = await costOf(counts, () => expect(says(session, 'b')).rejects.toThrow(/"b" is another turn's/))
    expect(cost.records).toBeLessThan(20)
    await expect(says(session, 't1999')).rejects.toThrow(/"t1999" is another turn's/)
    await says(session, 'c')
  })

  it('follows a compaction by another process and its undo', async () => {
    const session = open().memory.session('chat')
    const { memory: other } = open()
    await says(session, 'a')
    const { change } = await other.session('chat').compact({ summary: 'a summary' })
    await says(session, 'b')
    await other.undo({ changes: [change?.number ?? 0] })
    await expect(says(session, 'a')).rejects.toThrow(/"a" is another turn's/)
    await other.session('chat').reset()
    await says(session, 'a')
    await expect(says(session, 'a')).rejects.toThrow(/"a" is another turn's/)
  })

  it('may be retried if nothing was appended', async () => {
    const session = open().memory.session('chat')
    await says(session, 'a')
    const refused = session.append([
      { id: 'b', role: 'user', content: 'says b' },
      { id: 'a', role: 'user', content: 'says a' },
    ])
    await expect(refused).rejects.toThrow(/"a" is another turn's/)
    await says(session, 'b')
  })
})

describe('the window', () => {
  it('is read from the end if there is no marker, and so is what auto-recall leaves out', async () => {
    await write('chat', 10_000)
    const { memory, counts } = open()
    const session = memory.session('chat')
    const read = await costOf(counts, async () => {
      const { turns } = await session.window()
      expect(turns.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `t${9990 + n}`))
    })
    expect(read.records).toBeLessThanOrEqual(PAGE_RECORDS)
    expect((await costOf(counts, () => session.autoRecall('what was said'))).records).toBeLessThanOrEqual(PAGE_RECORDS)
    const wide = await costOf(counts, async () =>
      expect((await session.window({ size: 1000 })).turns).toHaveLength(2000),
    )
    expect(wide.records).toBeLessThanOrEqual(2000 + PAGE_RECORDS)
  })

  it('is read from the end long after a reset', async () => {
    await write('chat', 100)
    await workspace.open().session('chat').reset()
    await write('chat', 10_000)
    const { memory, counts } = open()
    const read = await costOf(counts, async () =>
      expect((await memory.session('chat').window()).turns).toHaveLength(10),
    )
    expect(read.records).toBeLessThanOrEqual(PAGE_RECORDS)
  })

  it('has the same archive and turns as when everything is read, wherever the marker is', async () => {
    const session = workspace.open().session('chat')
    await talk(session, 1, 2)
    await session.compact({ summary: 'a summary', keep: 1 })
    await write('chat', 3000)
    const { turns, archive, messages } = await open().memory.session('chat').window()
    expect(turns.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `t${2990 + n}`))
    expect(archive?.content).toBe('a summary')
    expect(messages[0]?.content).toBe(block('recap', 'a summary'))
  })

  it('begins after a marker that another process has just appended', async () => {
    await write('chat', 3000)
    const session = open().memory.session('chat')
    await session.window()
    await workspace.open().session('chat').compact({ summary: 'a summary', keep: 2 })
    expect((await session.window()).messages.map(({ content }) => content)).toEqual([
      block('recap', 'a summary'),
      ...['turn 2996', 'turn 2997', 'turn 2998', 'turn 2999'],
    ])
    await session.reset({ through: 't2997' })
    expect((await session.window()).turns.map(({ id }) => id)).toEqual(['t2998', 't2999'])
  })

  it('has the line for a forgotten archive until the turns after it slide out, whatever the page size', async () => {
    const memory = workspace.open()
    const session = memory.session('chat')
    await talk(session, 1)
    await session.compact({ summary: 'a summary' })
    await memory.forget('chat-1')
    const shown = async (): Promise<string[]> =>
      (await open().memory.session('chat').window()).messages.map(({ content }) => content)
    await talk(session, 2, 6)
    expect(await shown()).toEqual([expect.stringContaining('which was forgotten'), ...exchanges(2, 6)])
    await talk(session, 7)
    expect(await shown()).toEqual(exchanges(3, 7))
    expect((await session.view()).archive?.missing).toBe(true)
  })
})

describe('an append without an id in a new process', () => {
  it('reads the transcript at most once', async () => {
    await write('chat', 4000)
    const { memory, counts } = open()
    const read = await costOf(counts, () => memory.session('chat').append({ role: 'user', content: 'hello' }))
    expect(read.records).toBeLessThanOrEqual(4001 + 2 * PAGE_RECORDS)
  })
})

describe('the list of sessions', () => {
  const COUNT = 300

  it('reads a transcript once, and then only what was added to it', async () => {
    for (const key of ['one', 'other', 'third']) await write(key, COUNT)
    const first = await open().memory.sessions()
    expect(first.map(({ turns, lastAt }) => [turns, lastAt])).toEqual(Array(3).fill([COUNT, at(COUNT - 1)]))
    const { memory, counts } = open()
    const again = await costOf(counts, async () => expect(await memory.sessions()).toEqual(first))
    expect(again).toEqual({ records: 0, gets: 0 })
    await memory.session('other').append({ role: 'user', content: 'hello' })
    const { memory: later, counts: laterCounts } = open()
    const added = await costOf(laterCounts, async () => {
      expect((await later.sessions()).map(({ turns }) => turns)).toEqual([COUNT, COUNT + 1, COUNT])
    })
    expect(added.records).toBeLessThan(10)
  })

  it('looks up no entry for a session that has no archive', async () => {
    for (const key of ['one', 'other', 'third']) await write(key, 10)
    const { memory, counts } = open()
    expect((await costOf(counts, () => memory.sessions())).gets).toBe(0)
  })

  it('counts the live turns, whatever happened since the last list', async () => {
    const memory = workspace.open()
    const session = memory.session('chat')
    const listed = async (): Promise<number[]> => (await open().memory.sessions()).map(({ turns }) => turns)
    await write('chat', 2 * COUNT)
    expect(await listed()).toEqual([600])
    const { change } = await session.compact({ summary: 'a summary', keep: 1 })
    expect(await listed()).toEqual([2])
    await talk(session, 1)
    expect(await listed()).toEqual([4])
    await memory.undo({ changes: [change?.number ?? 0] })
    expect(await listed()).toEqual([602])
    await session.compact({ summary: 'another', keep: 1 })
    await memory.forget('chat-1')
    expect(await listed()).toEqual([2])
    await memory.purge('chat-1')
    expect(await listed()).toEqual([602])
    const third = await session.compact({ summary: 'a third', keep: 1 })
    expect(await listed()).toEqual([2])
    const crashed = new Memory(untold(memory.store), 'main', Date.now)
    await crashed.undo({ changes: [third.change?.number ?? 0] })
    expect(await listed()).toEqual([602])
    await session.reset()
    expect(await listed()).toEqual([0])
    await session.import([{ id: 'x', role: 'user', content: 'hel' }])
    expect(await listed()).toEqual([1])
    await session.import([{ id: 'x', role: 'user', content: 'hello' }])
    expect(await listed()).toEqual([1])
  })

  it('counts again if the transcript was replaced', async () => {
    await write('chat', 2 * COUNT)
    const listed = async (): Promise<number[]> => (await open().memory.sessions()).map(({ turns }) => turns)
    expect(await listed()).toEqual([600])
    const path = join(workspace.root, 'agents/main/sessions/chat.jsonl')
    const [, ...lines] = readFileSync(path, 'utf8').split('\n')
    const meta = JSON.stringify({ key: 'chat', createdAt: at(0) })
    writeFileSync(path, [meta, ...lines].join('\n').replace('"type":"turn"', '"type":"none"'))
    expect(await listed()).toEqual([599])
    writeFileSync(path, [meta, ...lines.slice(1)].join('\n'))
    expect(await listed()).toEqual([500])
  })

  it.each(['not JSON', '{"version":7}', '{"version":1,"sessions":{"chat":{}}}', '{"version":1,"sessions":null}'])(
    'is right where what was kept for it is not: %s',
    async (text) => {
      const { memory } = open()
      await talk(memory.session('chat'), 1)
      const first = await memory.sessions()
      await memory.store.derived.write('sessions-main', new TextEncoder().encode(text))
      expect(await open().memory.sessions()).toEqual(first)
    },
  )
})
