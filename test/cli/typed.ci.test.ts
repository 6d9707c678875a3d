/** Typed memories on the command line: facts, context, metadata, what has expired, several processes at once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { Desk } from './keepsake.ts'

const PROFILE = ['--kind', 'fact', '--meta', 'category=user_profile', '--meta', 'field=name']

describe('typed memories', () => {
  it('are one fact, one field and one context though processes store them at once', async () => {
    const desk = await Desk.empty()
    const told = await Promise.all(
      [0, 1, 2].flatMap((n) => [
        desk.json(['remember', 'Likes tea.', '--kind', 'fact', '--meta', 'who=Ann']),
        desk.json(['remember', `Called Alex ${n}`, ...PROFILE]),
        desk.json(['remember', `task ${n}`, '--kind', 'context', '--key', 'task']),
      ]),
    )
    expect(told.map(({ status }) => status)).toEqual(told.map(() => 0))
    const { entries } = await desk.json(['list'])
    const shown = entries.map((entry: { name: string; key: string; metadata: object }) => [
      entry.key ?? entry.name,
      entry.metadata,
    ])
    expect(Object.fromEntries(shown)).toEqual({
      'Likes tea': { who: 'Ann' },
      'user profile: name': { category: 'user_profile', field: 'name' },
      task: {},
    })
    expect(shown).toHaveLength(3)
    const context = entries.find(({ kind }: { kind: string }) => kind === 'context')
    expect(context.expiresAt).toBe(
      `${new Date(Date.parse(context.createdAt) + 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`,
    )
    const listed = await desk.json(['list', '--where', 'category=user_profile', '--where', 'field!=city'])
    expect(listed.entries.map(({ name }: { name: string }) => name)).toEqual(['user profile: name'])
    const { status, error } = await desk.json(['list', '--where', 'category'])
    expect([status, error.code]).toEqual([2, 'INVALID'])
  })

  it('show the beginning of a context without a key', async () => {
    const desk = await Desk.empty()
    const { stdout } = await desk.run(['remember', 'The build is red.', '--kind', 'context'])
    expect(stdout).toMatch(/^Remembered the context [0-9a-f-]{36}\n/)
    expect((await desk.run(['list'])).stdout).toMatch(/ {2}context {2}The build is red\. {2}/)
    expect((await desk.run(['recall', 'build'])).stdout).toMatch(/^1 {2}The build is red\. {2}context {2}/)
    expect((await desk.run(['log'])).stdout).toContain('added the context "The build is red."')
  })

  it("keep a user's keys apart from ours, and are cleaned up with what can't be judged told", async () => {
    const desk = await Desk.empty()
    const keys = ['type=x', 'created_at=y', 'id=z', '__proto__:={"a":1}', 'constructor=c', 'expires=1999', 'kind=note']
    const { entry } = await desk.json([
      ...['remember', 'Likes tea.', '--kind', 'conversation', '--session', 'ours', '--meta', 'session=theirs'],
      ...keys.flatMap((key) => ['--meta', key]),
    ])
    expect([entry.kind, entry.origin.session, entry.metadata.session]).toEqual(['conversation', 'ours', 'theirs'])
    const where = ['type=x', '__proto__.a=1', 'expires=1999', 'session=theirs'].flatMap((one) => ['--where', one])
    const { hits } = await desk.json(['recall', 'tea', ...where])
    expect(JSON.stringify(hits[0].entry.metadata)).toBe(JSON.stringify(entry.metadata))
    expect(Object.keys(entry.metadata)).toEqual(['session', ...keys.map((key) => key.split(/:?=/)[0])])

    expect((await desk.run(['cleanup'])).stdout).toBe('Nothing has expired.\n')
    const yesterday = Date.now() - 86_400_000
    const memory = await openMemory({ workspace: desk.workspace, clock: () => yesterday })
    await memory.remember('old', { name: 'old', ttl: '1h' })
    await memory.remember('older', { kind: 'fact', ttl: '1h' })
    await memory.close()
    desk.edit('agents/main/entries/rose.md', '---\nname: rose\nexpires: someday\n---\n\nA rose.\n')
    expect((await desk.json(['list'])).entries).toHaveLength(2)
    expect((await desk.run(['show', 'old'])).status).toBe(3)
    expect((await desk.run(['__complete', '--', 'show', ''])).stdout).toBe('rose\tnote\n')
    const cleaned = await desk.json(['cleanup'])
    expect(cleaned).toMatchObject({
      deleted: 2,
      entries: [{ name: 'old', path: 'agents/main/entries/old.md' }, { name: 'older' }],
      unreadable: [
        { path: 'agents/main/entries/rose.md', problem: expect.stringMatching(/^line 3: expires: "someday"/) },
      ],
    })
    const again = await desk.run(['cleanup'])
    expect([again.status, again.stdout]).toEqual([0, 'Nothing has expired.\n'])
    expect(again.stderr).toMatch(/^keepsake: warning: agents\/main\/entries\/rose\.md: line 3: expires: "someday"/)
    expect(readFileSync(join(desk.workspace, 'agents/main/entries/rose.md'), 'utf8')).toContain('expires: someday')
    // Undo reverts what a person or agent did: change 4 was the cleanup, 5 the external edit, and 2 and 3 made what has expired.
    expect((await desk.json(['undo', '--dry-run'])).undone).toEqual([1])
  })
})
