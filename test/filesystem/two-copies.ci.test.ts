/**
 * Two machines with a copy each, written in by agents and hands, brought together as sync programs do: the newer file wins,
 * or both stay, one as a conflict copy; with and without `.state/`; in both directions; several rounds. Nothing is corrupt,
 * nothing that was acknowledged on either side is lost from the files and journals together, and both sides go on.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decodeJournal } from '../../src/codec/journal-record.ts'
import { Memory } from '../../src/memory.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'

const ROUNDS = 3
type Conflicts = 'newest wins' | 'conflicted copy' | 'sync-conflict'

let base: string
let ms: number
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'keepsake-copies-'))
  ms = Date.parse('2026-05-01T08:00:00Z')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const side = (name: string): string => join(base, name)

async function within<T>(root: string, act: (memory: Memory) => Promise<T>): Promise<T> {
  const clock = (): number => ms++
  const memory = new Memory(filesystemStore({ root, timezone: 'UTC', clock }), 'main', clock)
  try {
    return await act(memory)
  } finally {
    await memory.store.close()
  }
}

function filesOf(root: string, withState: boolean): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(root, file), { throwIfNoEntry: false })?.isFile())
    .filter((file) => withState || !file.startsWith('.state'))
    .filter((file) => !/^\.state\/(lock|tmp|swap)\//.test(file))
}

/** What a sync program does in one direction with each file; files of the target that the source lacks stay. */
function sync(from: string, to: string, conflicts: Conflicts, withState: boolean): void {
  for (const file of filesOf(from, withState)) {
    const [source, target] = [join(from, file), join(to, file)]
    const there = statSync(target, { throwIfNoEntry: false })
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    if (there && readFileSync(source).equals(readFileSync(target))) continue
    const newer = !there || statSync(source).mtimeMs >= there.mtimeMs
    const [winner, loser] = newer ? [source, target] : [target, source]
    if (there && conflicts !== 'newest wins' && file.endsWith('.md')) {
      cpSync(loser, join(to, beside(file, conflicts)), { preserveTimestamps: true })
    }
    if (winner !== target) cpSync(winner, target, { preserveTimestamps: true })
  }
}

function beside(file: string, conflicts: Conflicts): string {
  return conflicts === 'conflicted copy'
    ? file.replace(/\.md$/, ' (conflicted copy).md')
    : file.replace(/\.md$/, '.sync-conflict-20260501-080000-ABCDEFG.md')
}

/** What an agent and a person do on one side in one round; the texts that were acknowledged or saved. */
async function work(root: string, name: string, round: number): Promise<string[]> {
  const said = (what: string): string => `${what} by ${name} in round ${round}`
  const written = await within(root, async (memory) => {
    await memory.learnFact('shared', said('a page'))
    await memory.remember(said('a card'), { name: 'Shared card' })
    await memory.remember(said('a line'))
    await memory.reflect(said('a reflection'))
    await memory.learnFact(`only ${name} ${round}`, said('an own page'))
    return ['a page', 'a card', 'a line', 'a reflection', 'an own page'].map(said)
  })
  const page = join(root, 'world/by-hand.md')
  writeFileSync(page, `${said('a hand')}\n`)
  await within(root, (memory) => memory.store.absorb())
  return [...written, said('a hand')]
}

/** Every text that is in a file or in a journal of either side. */
function kept(roots: readonly string[]): string {
  return roots.flatMap((root) => filesOf(root, true).map((file) => readFileSync(join(root, file), 'utf8'))).join('\n')
}

/** Both sides read, parse, log, look back, undo and write; what is reported is really double. */
async function expectSound(root: string): Promise<void> {
  const journal = join(root, '.state/journal')
  for (const name of readdirSync(journal).filter((one) => one.endsWith('.jsonl'))) {
    expect(decodeJournal(readFileSync(join(journal, name))).rest).toBe('none')
  }
  await within(root, async (memory) => {
    const before = await memory.list()
    expect(before.length).toBeGreaterThan(0)
    for (const { problem, path } of await memory.store.problems()) {
      const double = /^more than one entry is called "(.*)"$/.exec(problem)?.[1]
      expect(double, `${path}: ${problem}`).toBeDefined()
      const holders = before.filter(({ name, aliases }) => name === double || aliases.includes(double ?? ''))
      expect(holders.length).toBeGreaterThan(1)
    }
    await memory.store.absorb()
    const changes = (await memory.store.changes()).toReversed()
    const numbers = changes.map(({ change }) => change.number)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    const seqs = (await memory.list()).map(({ seq }) => seq)
    expect(new Set(seqs).size).toBe(seqs.length)
    const at = changes.at(-1)?.change.at ?? ''
    const past = await (await memory.asOf(at)).list()
    expect(past.map(({ id }) => id).sort()).toEqual((await memory.list()).map(({ id }) => id).sort())
    const name = `probe ${ms}`
    await memory.learnFact(name, 'one')
    await memory.learnFact(name, 'two')
    await memory.undo()
    expect((await memory.get(name))?.content).toBe('one')
    await memory.undo()
    expect(await memory.get(name)).toBeUndefined()
  })
}

describe('two copies of one folder', () => {
  for (const conflicts of ['newest wins', 'conflicted copy', 'sync-conflict'] as const) {
    for (const withState of [false, true]) {
      it(`come together: ${conflicts}, ${withState ? 'with' : 'without'} .state/`, async () => {
        const [a, b] = [side('a'), side('b')]
        const acknowledged = await work(a, 'nobody', 0)
        cpSync(a, b, { recursive: true, preserveTimestamps: true })
        for (let round = 1; round <= ROUNDS; round++) {
          acknowledged.push(...(await work(a, 'Ada', round)), ...(await work(b, 'Bob', round)))
          const order = round % 2 === 0 ? [a, b] : [b, a]
          for (const [from, to] of [order, order.toReversed()] as [string, string][]) {
            sync(from, to, conflicts, withState)
            await expectSound(to)
          }
          // With its journals, each side alone has all; without, each has its own past and both have it together.
          for (const roots of withState ? [[a], [b]] : [[a, b]]) {
            const all = kept(roots)
            expect(acknowledged.filter((text) => !all.includes(text))).toEqual([])
          }
        }
        await expectSound(a)
        await expectSound(b)
      })
    }
  }

  it('both find what the other wrote in files of its own', async () => {
    const [a, b] = [side('a'), side('b')]
    await work(a, 'nobody', 0)
    cpSync(a, b, { recursive: true, preserveTimestamps: true })
    await work(a, 'Ada', 1)
    await work(b, 'Bob', 1)
    sync(a, b, 'newest wins', true)
    sync(b, a, 'newest wins', true)
    for (const root of [a, b]) {
      await within(root, async (memory) => {
        expect((await memory.get('only Ada 1'))?.content).toContain('by Ada')
        expect((await memory.get('only Bob 1'))?.content).toContain('by Bob')
      })
    }
  })

  it('never give a number of one lineage twice, though the other side used it', async () => {
    const [a, b] = [side('a'), side('b')]
    await work(a, 'nobody', 0)
    cpSync(a, b, { recursive: true, preserveTimestamps: true })
    await work(a, 'Ada', 1)
    await work(b, 'Bob', 1)
    sync(b, a, 'newest wins', true)
    await work(a, 'Ada', 2)
    const numbers = await within(a, async (memory) => (await memory.store.changes()).map(({ change }) => change.number))
    expect(new Set(numbers).size).toBe(numbers.length)
    await expectSound(a)
  })
})
