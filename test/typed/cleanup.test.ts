/** Cleanup: in one change that can be undone, by compare-and-swap, and what can't be judged is told and kept. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NotFoundError } from '../../src/errors.ts'
import { startCleanup } from '../../src/memory/start-cleanup.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store.ts'
import type { FilesystemStore } from '../../src/stores/filesystem/store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { itOn } from '../one-row.ts'
import { Bench, newFolder, STORES } from '../tools/bench.ts'

describe.each(STORES)('cleanup on the %s store', (store) => {
  const it = itOn(store, 'is one change, which undo alone passes over, and by number brings everything back')
  it('is one change, which undo alone passes over, and by number brings everything back', async () => {
    const { memory, at } = await benchAt(store)
    await memory.remember('a', { name: 'a', ttl: '1h' })
    await memory.remember('b', { kind: 'conversation' })
    await memory.remember('c', { key: 'c' })
    await memory.remember('stays')
    at('2027-01-01T00:00:00.000Z')
    const { deleted, unreadable, warnings } = await memory.cleanup()
    expect([deleted, unreadable, warnings]).toEqual([3, [], []])
    expect((await memory.cleanup()).deleted).toBe(0)
    const [change] = await memory.log()
    expect(change?.touched).toHaveLength(3)
    const number = change?.change.number ?? 0
    const { undone } = await memory.undo({ dryRun: true })
    expect(undone.map(({ change: one }) => one.number)).toEqual([number - 1])
    await memory.undo({ changes: [number] })
    expect(await memory.list()).toHaveLength(1)
    at('2026-11-15T14:03:00.000Z')
    expect((await memory.list()).map(({ content }) => content).toSorted()).toEqual(['a', 'b', 'c', 'stays'])
  })

  it('keeps no undo from what was done before: what it removed is passed over, and by number nothing is to do', async () => {
    const { memory, at } = await benchAt(store)
    await memory.remember('keep me', { name: 'keepme' })
    await memory.remember('short', { key: 't', ttl: '1s' })
    const [short] = await memory.log()
    at('2026-11-16T00:00:00.000Z')
    expect((await memory.cleanup()).deleted).toBe(1)
    for (const withLater of [false, true]) {
      const one = await memory.undo({ changes: [short?.change.number ?? 0], withLater })
      expect([one.change, one.undone.flatMap(({ touched }) => touched)]).toEqual([undefined, []])
      expect(one.warnings).toEqual(['context "t" has expired and was removed since: it stays so'])
    }
    const { undone, warnings } = await memory.undo({ agent: 'main', last: 1 })
    expect([undone.map(({ touched }) => touched[0]?.after?.name), warnings]).toEqual([['keepme'], []])
    expect(await memory.get('keepme')).toBeUndefined()
    await expect(memory.undo()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('leaves of a change what it did to others to be undone and redone', async () => {
    const { memory, at } = await benchAt(store)
    const context = { op: 'add', scope: 'main', kind: 'context', key: 't', content: 'short' } as const
    await memory.apply([{ op: 'add', scope: 'main', kind: 'note', name: 'stays', content: 'stays' }, context])
    at('2026-11-20T00:00:00.000Z')
    await memory.cleanup()
    const { change, undone, warnings } = await memory.undo()
    expect([undone[0]?.touched.length, warnings.length]).toEqual([1, 1])
    expect(await memory.get('stays')).toBeUndefined()
    await memory.undo({ changes: [change?.number ?? 0] })
    expect((await memory.get('stays'))?.content).toBe('stays')
    at('2026-11-15T14:03:00.000Z')
    expect((await memory.list()).map(({ content }) => content)).toEqual(['stays'])
  })

  it('lets an undo bring back what has not expired before the change, and a later undo of itself everything', async () => {
    const { memory, at } = await benchAt(store)
    await memory.remember('long', { name: 'n' })
    await memory.remember('short', { name: 'n', ttl: '1h' })
    at('2026-11-20T00:00:00.000Z')
    await memory.cleanup()
    const [cleaning] = await memory.log()
    await memory.undo()
    expect((await memory.get('n'))?.content).toBe('long')
    // What was brought back builds on the cleanup.
    await expect(memory.undo({ changes: [cleaning?.change.number ?? 0] })).rejects.toMatchObject({ code: 'CONFLICT' })
    await memory.undo()
    expect(await memory.get('n')).toBeUndefined()
  })

  it('passes over what was brought back, expired and was removed again, and undoes what the cleanup is part of', async () => {
    const { memory, at } = await benchAt(store)
    await memory.remember('first', { name: 'first' })
    await memory.remember('short', { name: 'n', ttl: '1h' })
    const undone = await memory.undo()
    await memory.undo({ changes: [undone.change?.number ?? 0] })
    at('2026-11-20T00:00:00.000Z')
    await memory.cleanup()
    const [cleaning] = await memory.log()
    await memory.undo({ changes: [cleaning?.change.number ?? 0] })
    await memory.cleanup()
    expect((await memory.undo({ dryRun: true })).undone[0]?.touched[0]?.after?.name).toBe('first')
    // All of the agent's own, its cleanups among it: nothing expired comes back.
    await memory.undo({ by: 'agent' })
    at('2026-11-15T14:03:00.000Z')
    expect(await memory.list()).toEqual([])
  })

  it('leaves a name to whoever takes it, and the context of a key to whoever sets it', async () => {
    const { memory, at } = await benchAt(store)
    await memory.remember('old', { name: 'N', aliases: ['A'], ttl: '1h' })
    await memory.setContext('task', 'old')
    at('2026-11-20T00:00:00.000Z')
    await memory.apply([{ op: 'add', scope: 'main', kind: 'note', name: 'A', content: 'new' }])
    await memory.setContext('task', 'new')
    expect((await memory.get('A'))?.content).toBe('new')
    expect(await memory.getContext('task')).toBe('new')
    expect((await memory.cleanup()).deleted).toBe(0)
  })
})

describe('cleanup', () => {
  it('spares what was prolonged since it was looked up', async () => {
    const time = { now: Date.parse('2026-11-15T14:03:00.000Z') }
    const clock = (): number => time.now
    const inner = memoryStore({ clock })
    let between: (() => Promise<void>) | undefined
    const store: Store = {
      ...inner,
      heads: async (...given) => {
        const heads = await inner.heads(...given)
        const now = between
        between = undefined
        await now?.()
        return heads
      },
    }
    const memory = await openMemory({ store, clock })
    const { entry } = await memory.remember('longer', { name: 'longer', ttl: '1h' })
    await memory.remember('shorter', { name: 'shorter', ttl: '1h' })
    time.now += 2 * 3_600_000
    between = async () => {
      await memory.apply([{ op: 'write', id: entry.id, expiresAt: '2027-01-01T00:00:00.000Z' }])
    }
    const { deleted, entries } = await memory.cleanup()
    expect([deleted, entries.map(({ name }) => name)]).toEqual([1, ['shorter']])
    expect((await memory.get('longer'))?.content).toBe('longer')
  })

  it('goes on when a store reports that an entry is already gone', async () => {
    const time = { now: Date.parse('2026-11-15T14:03:00.000Z') }
    const clock = (): number => time.now
    const inner = memoryStore({ clock })
    let gone: string | undefined
    const store: Store = {
      ...inner,
      apply: async (batch, options) => {
        const id = gone
        gone = undefined
        if (id === undefined) return inner.apply(batch, options)
        await inner.apply({ operations: [{ op: 'remove', id }], origin: batch.origin })
        throw new NotFoundError(id)
      },
    }
    const memory = await openMemory({ store, clock })
    const { entry } = await memory.remember('one', { name: 'one', ttl: '1h' })
    await memory.remember('other', { name: 'other', ttl: '1h' })
    time.now += 2 * 3_600_000
    gone = entry.id
    expect((await memory.cleanup()).entries.map(({ name }) => name)).toEqual(['other'])
  })

  it('tells what says in no readable way when it ends, where that stands, and keeps it', async () => {
    const workspace = newFolder()
    const memory = await openMemory({ workspace, timezone: 'UTC' })
    edit(workspace, 'entries/rose.md', '---\nname: rose\nexpires: someday\n---\n\nA rose.\n')
    edit(
      workspace,
      'context/2020-01-01.md',
      '# 2020-01-01\n\n## 09:00\n<!-- {"key":"k","expires":"soon"} -->\n\nsaid\n',
    )
    edit(workspace, 'context/2020-01-02.md', '# 2020-01-02\n\n## 09:00\n<!-- {"key":"o"} -->\n\nover\n')
    const told = [
      { path: 'agents/main/context/2020-01-01.md', problem: expect.stringMatching(/^line 3: .*"soon" is not a time/) },
      { path: 'agents/main/entries/rose.md', problem: expect.stringMatching(/^line 3: expires: "someday"/) },
    ]
    for (const deleted of [1, 0]) {
      const cleaned = await memory.cleanup()
      expect([cleaned.deleted, cleaned.entries.map(({ key }) => key)]).toEqual([deleted, deleted ? ['o'] : []])
      expect(cleaned.unreadable.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toMatchObject(told)
      // Also once it is known to the journal.
      await memory.absorb()
    }
    expect((await memory.get('rose'))?.content).toBe('A rose.')
    expect(await memory.getContext('k')).toBe('said')
    // A rewrite leaves that line alone, and a time takes its place.
    await memory.remember('A tulip.', { name: 'rose' })
    expect(read(workspace, 'entries/rose.md')).toContain('\nexpires: someday\n')
    await memory.remember('A tulip.', { name: 'rose', ttl: '1d' })
    expect(read(workspace, 'entries/rose.md')).toMatch(/\nexpires: 20\d\d-/)
    await memory.setContext('k', 'new')
    expect((await memory.list({ kinds: ['context'] })).map(({ expiresAt }) => expiresAt === null)).toEqual([false])
    expect((await memory.cleanup()).unreadable).toEqual([])
    await memory.close()
  })

  it('tells what says in no readable way when it began, and removes nothing for it', async () => {
    const workspace = newFolder()
    const memory = await openMemory({ workspace, timezone: 'UTC' })
    const id = '0190a5b0-0000-7000-8000-000000000001'
    edit(
      workspace,
      'conversation/2020-01-01.md',
      [
        '# 2020-01-01\n',
        '## 09:00\n<!-- {"at":"yesterday"} -->\n\nkept\n',
        `## 10:00\n<!-- {"id":"${id}","at":"then","expires":"2020-02-01T00:00:00.000Z"} -->\n\nover, as it says\n`,
        '## 11:00\n<!-- {"at":"then","expires":"some day"} -->\n\nkept too\n',
        '## 12:00\n<!-- {"expires":2030-01-01} -->\n\nkept, whatever it said\n',
      ].join('\n'),
    )
    edit(workspace, 'entries/rose.md', '---\nname: rose\ncreated: once\nexpires: someday\n---\n\nA rose.\n')
    const { deleted, unreadable } = await memory.cleanup()
    expect(deleted).toBe(1)
    expect(unreadable.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toMatchObject([
      { path: 'agents/main/conversation/2020-01-01.md', problem: expect.stringMatching(/at: "yesterday" is not/) },
      {
        path: 'agents/main/conversation/2020-01-01.md',
        problem: expect.stringMatching(/at: "then" is not a time.*; expires: "some day" is not a time/),
      },
      { path: 'agents/main/conversation/2020-01-01.md', problem: expect.stringMatching(/is not JSON/) },
      { path: 'agents/main/entries/rose.md', problem: expect.stringMatching(/^line 3: created: "once" is not a time/) },
    ])
    expect((await memory.list()).map(({ content }) => content).toSorted()).toEqual([
      'kept',
      'kept too',
      'kept, whatever it said',
    ])
    expect(read(workspace, 'entries/rose.md')).toContain('A rose.')
    const { findings } = await (memory.store as FilesystemStore).examine()
    const broken = findings.filter(({ severity }) => severity === 'damage').map(({ code }) => code)
    expect(broken.toSorted()).toEqual(['broken-card', 'broken-log-entry', 'broken-log-entry', 'broken-log-entry'])
    await memory.close()
  })

  it('is not kept from the others by a file that a hand has left half done', async () => {
    const workspace = newFolder()
    const time = { now: Date.parse('2026-11-15T14:03:00.000Z') }
    const memory = await openMemory({ workspace, clock: () => time.now })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await memory.remember(name, { name, ttl: '1h' })
    edit(workspace, 'entries/c.md', '---\nname: c\n')
    time.now += 2 * 3_600_000
    const { deleted, warnings } = await memory.cleanup()
    expect([deleted, warnings]).toEqual([4, [expect.stringContaining('agents/main/entries/c.md')]])
    expect(read(workspace, 'entries/c.md')).toBe('---\nname: c\n')
    await memory.close()
  })

  it('is never done where the interval is 0', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const cleanup = vi.fn<Memory['cleanup']>()
    startCleanup({ cleanup }, { interval: 0, told: () => undefined })
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(cleanup).not.toHaveBeenCalled()
  })

  it('goes on by interval after a failure, and ends when it is told to', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let calls = 0
    const told: number[] = []
    const cleaning = startCleanup(
      {
        cleanup: async () => {
          calls++
          if (calls === 1) throw new Error('locked')
          return { deleted: calls === 3 ? 2 : 0, entries: [], unreadable: [], warnings: [] }
        },
      },
      {
        interval: 60,
        firstAfterMs: 1000,
        told: (deleted) => {
          told.push(deleted)
          cleaning.stop()
        },
      },
    )
    const callsAfter = async (ms: number): Promise<number> => {
      await vi.advanceTimersByTimeAsync(ms)
      return calls
    }
    expect([await callsAfter(999), await callsAfter(1), await callsAfter(59_999), await callsAfter(1)]).toEqual([
      0, 1, 1, 2,
    ])
    expect([await callsAfter(60_000), await callsAfter(3_600_000), told]).toEqual([3, 3, [2]])
  })
})

async function benchAt(store: (typeof STORES)[number]): Promise<{ memory: Memory; at: (text: string) => void }> {
  const bench = await Bench.open(store)
  return { memory: bench.memory, at: (text) => bench.at(text) }
}

function edit(workspace: string, path: string, text: string): void {
  const file = join(workspace, 'agents/main', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function read(workspace: string, path: string): string {
  return readFileSync(join(workspace, 'agents/main', path), 'utf8')
}
