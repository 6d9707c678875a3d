import { describe, expect, it } from 'vitest'
import { Memory } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import type { Found } from '../recall/found.ts'
import { memoryStore } from '../stores/memory.ts'
import type { EvalSet } from './dataset.ts'
import { type EvalMemory, type RunOptions, runSet } from './run.ts'
import { summaryOf } from './summary.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')

/** Finds entries by how many of the query's words they hold: enough to see that the right things are asked. */
class CountingMemory implements EvalMemory {
  static opened: CountingMemory[] = []
  readonly nowMs: number
  readonly batches: number[] = []
  readonly asked: string[] = []
  closed = false
  readonly #memory: Memory

  constructor(nowMs: number) {
    this.nowMs = nowMs
    this.#memory = new Memory(memoryStore({ clock: () => nowMs }), 'main', () => nowMs)
    CountingMemory.opened.push(this)
  }

  async apply(operations: Parameters<Memory['apply']>[0]): Promise<void> {
    this.batches.push(operations.length)
    await this.#memory.apply(operations)
  }

  async search(query: string, { limit }: { readonly limit?: number }): Promise<Found> {
    this.asked.push(query)
    const words = query.split(' ')
    const count = ({ content }: Entry): number => words.filter((word) => content.includes(word)).length
    const entries = (await this.#memory.list()).filter((entry) => count(entry) > 0)
    const hits = entries.sort((a, b) => count(b) - count(a)).slice(0, limit)
    return { hits: hits.map((entry) => ({ entry })) } as unknown as Found // all that the runner looks at
  }

  async close(): Promise<void> {
    this.closed = true
  }
}

const set: EvalSet = {
  name: 'chat',
  scopes: [
    {
      id: 'one',
      docs: [
        { id: 'a', text: 'the heron', session: 's1', time: '8 May, 2023' },
        { id: 'b', text: 'the heron flew', session: 's1' },
        { id: 'c', text: 'a stone', session: 's2' },
      ],
      queries: [
        { id: 'q1', text: 'heron flew', gains: new Map([['b', 1]]), category: 'single-hop' },
        { id: 'q2', text: 'heron', gains: new Map([['b', 1]]), category: 'adversarial' },
        { id: 'q3', text: 'nothing relevant', gains: new Map() },
      ],
    },
    {
      id: 'two',
      docs: Array.from({ length: 1500 }, (_, n) => ({ id: `${n}`, text: `doc number${n}` })),
      queries: [
        {
          id: 'q1',
          text: 'number1499',
          gains: new Map([
            ['1499', 1],
            ['gone', 1],
          ]),
          category: 'multi-hop',
        },
      ],
    },
    { id: 'three', docs: [{ id: 'a', text: 'the heron' }], queries: [] },
  ],
}

async function run(level: RunOptions['level']): Promise<{
  readonly result: Awaited<ReturnType<typeof runSet>>
  readonly opened: readonly CountingMemory[]
  readonly progress: readonly string[]
}> {
  CountingMemory.opened = []
  const progress: string[] = []
  let ticks = 0
  const result = await runSet(set, {
    level,
    mode: 'lexical',
    openMemory: async (nowMs) => new CountingMemory(nowMs),
    clock: () => NOW,
    timer: () => 5 * ticks++,
    onProgress: (doing, done, total) => progress.push(`${doing} ${done} of ${total}`),
  })
  return { result, opened: CountingMemory.opened, progress }
}

describe('a run', () => {
  it('asks each query in the memory of its scope, and tells what was found of it', async () => {
    const { result } = await run('turn')
    expect(result.queries.map(({ scope, id, scores }) => [scope, id, scores['mrr@10'], scores['recall@10']])).toEqual([
      ['one', 'q1', 1, 1],
      ['one', 'q2', 0.5, 1],
      ['two', 'q1', 1, 0.5],
    ])
    expect(result).toMatchObject({ name: 'chat', level: 'turn', mode: 'lexical', docs: 1504, leftOut: 1, missing: 1 })
  })

  it('finds whole sessions at session level', async () => {
    const { result } = await run('session')
    expect(result.docs).toBe(1503)
    expect(result.queries.map(({ scores }) => scores['mrr@10'])).toEqual([1, 1, 1])
  })

  it('opens a memory for each scope that is asked something, shortly after its last doc, and closes it', async () => {
    const { opened } = await run('turn')
    expect(opened.map(({ nowMs, closed }) => [nowMs, closed])).toEqual([
      [Date.parse('2023-05-08T00:01:00.001Z'), true],
      [NOW, true],
    ])
    expect(opened[1]?.batches).toEqual([1000, 500])
  })

  it('closes the memory also when a search fails', async () => {
    let closed = false
    const failing: EvalMemory = {
      apply: async () => undefined,
      search: async () => {
        throw new Error('no search')
      },
      close: async () => {
        closed = true
      },
    }
    const options = { level: 'turn', mode: 'lexical', clock: () => NOW, timer: () => 0 } as const
    await expect(runSet(set, { ...options, openMemory: async () => failing })).rejects.toThrow('no search')
    expect(closed).toBe(true)
  })

  it('searches once before it measures, for the first search makes the index', async () => {
    const { opened, result } = await run('turn')
    expect(opened[0]?.asked).toEqual(['heron flew', 'heron flew', 'heron'])
    expect(result.queries.map(({ ms }) => ms)).toEqual([5, 5, 5])
  })

  it('tells how far it is', async () => {
    expect((await run('turn')).progress).toEqual(['searching 1 of 4', 'searching 2 of 4', 'searching 3 of 4'])
  })
})

describe('a summary', () => {
  it('has the means of all, of each category, and without the adversarial ones', async () => {
    const summary = summaryOf((await run('turn')).result)
    expect(summary).toMatchObject({ name: 'chat', level: 'turn', mode: 'lexical', n: 3, p50Ms: 5, p95Ms: 5 })
    expect(summary['mrr@10']).toBeCloseTo(2.5 / 3)
    expect(Object.entries(summary.categories).map(([name, { n }]) => [name, n])).toEqual([
      ['adversarial', 1],
      ['multi-hop', 1],
      ['single-hop', 1],
    ])
    expect(summary.categories['multi-hop']?.['recall@10']).toBe(0.5)
    expect(summary.withoutAdversarial).toMatchObject({ n: 2, 'mrr@10': 1 })
  })

  it('says nothing of adversarial queries where there are none', async () => {
    const { result } = await run('turn')
    const others = result.queries.filter(({ category }) => category !== 'adversarial')
    expect(summaryOf({ ...result, queries: others }).withoutAdversarial).toBeUndefined()
  })
})
