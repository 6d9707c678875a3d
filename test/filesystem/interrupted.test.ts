/** A crash between journal and files: what was acknowledged is written by whoever takes things in, and an edit in between is told. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { interrupted } from './interrupted.ts'

let root: string
let opened: Memory[]
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'keepsake-interrupted-')), 'ws')
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

const memoryFile = (): string => join(root, 'agents/main/MEMORY.md')
const memoryText = (): string => readFileSync(memoryFile(), 'utf8')

/** Through a store that is closed by then: only the files are to tell. */
async function crashWhileWriting(text: string): Promise<void> {
  await interrupted(root, async () => {
    const memory = open()
    await memory.reflect(text)
    await memory.close()
  })
}

describe('a write that a crash kept from its file', () => {
  beforeEach(async () => {
    await open().reflect('- one\n- two\n- three')
    await crashWhileWriting('- one\n- zwei\n- three')
  })

  it('is done by whoever takes in what hands did, and not by who only reads', async () => {
    expect((await open().get('MEMORY'))?.content).toBe('- one\n- zwei\n- three')
    expect(memoryText()).toBe('- one\n- two\n- three\n')
    expect(await open().absorb()).toEqual({ changes: [], heldBack: [], warnings: [] })
    expect(memoryText()).toBe('- one\n- zwei\n- three\n')
  })

  it.each([
    ['edited', () => appendFileSync(memoryFile(), '- by hand\n'), '- one\n- two\n- three\n- by hand\n'],
    ['removed', () => rmSync(memoryFile()), undefined],
  ])('gives way to a hand that %s the file since, and the next write says so', async (_, edit, left) => {
    edit()
    const memory = open()
    const { warnings } = await memory.remember('something else')
    expect(warnings.join()).toMatch(
      /^agents\/main\/MEMORY\.md was edited by hand where .* change 2 .*keepsake log 2;.*keepsake undo 3$/,
    )
    expect(existsSync(memoryFile()) ? memoryText() : undefined).toBe(left)
    const logged = await open().log()
    const [hand] = logged.filter(({ change }) => change.origin.by === 'hand')
    expect(hand?.change).toMatchObject({ number: 3, supersedes: 2 })
    expect((await open().remember('once more')).warnings).toEqual([])
    // As the warning says: the edit is taken back for what was to be there.
    await memory.undo({ changes: [3] })
    expect(memoryText()).toBe('- one\n- zwei\n- three\n')
  })

  it.each([
    ['absorb', (memory: Memory) => memory.absorb()],
    ['undo', (memory: Memory) => memory.undo({ by: 'hand', last: 1 })],
  ])('and %s tells it too', async (_, take) => {
    appendFileSync(memoryFile(), '- by hand\n')
    expect((await take(open())).warnings).toHaveLength(1)
  })
})

it('an edit of what was written before the crash is an edit like any other', async () => {
  await open().reflect('- one')
  await crashWhileWriting('- one\n- two')
  writeFileSync(memoryFile(), '- one\n- two\n- by hand\n')
  const { changes, warnings } = await open().absorb()
  expect(warnings).toEqual([])
  expect(changes.map(({ supersedes }) => supersedes)).toEqual([undefined])
})
