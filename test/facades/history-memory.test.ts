/** The names of the design of history and consolidation, and what they stand for here. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConsolidationService, type ConversationEntry, historyMemory, type PromptFn } from '../../src/facades/index.ts'
import { openMemory } from '../../src/memory.ts'
import { afterThisFile } from '../clean-up.ts'
import { itOn } from '../one-row.ts'
import { Bench, newFolder, STORES } from '../tools/bench.ts'

describe.each(STORES)('historyMemory on the %s store', (store) => {
  const it = itOn(store, 'appends to the history, which a search finds once, by words and by date')
  it('reads and writes the memory, and erases it only when asked to', async () => {
    const { memory } = await Bench.open(store)
    const history = historyMemory(memory)
    expect(await history.readMemory()).toBe('')
    await history.writeMemory('# Facts\n\n- tea\n')
    expect(await history.readMemory()).toBe('# Facts\n\n- tea')
    await expect(history.writeMemory(' \n')).rejects.toMatchObject({ code: 'INVALID' })
    expect(await history.readMemory()).toBe('# Facts\n\n- tea')
    await history.writeMemory('', { erase: true })
    expect(await history.readMemory()).toBe('')
    await memory.undo()
    expect(await history.readMemory()).toBe('# Facts\n\n- tea')
  })

  it('appends to the history, which a search finds once, by words and by date', async () => {
    const bench = await Bench.open(store)
    const history = historyMemory(bench.memory)
    await history.appendHistory('[2026-11-15 15:03] Ann chose Postgres.')
    bench.at('2026-12-02T10:00:00.000Z')
    const { entry } = await history.appendHistoryRotated('[2026-12-02 11:00] Bob chose Postgres.')
    expect(entry).toMatchObject({ kind: 'history', createdAt: '2026-12-02T10:00:00.000Z' })
    const found = await bench.memory.search('postgres', { kinds: ['history'] })
    expect(found.hits).toHaveLength(2)
    const since = await bench.memory.search('postgres', { kinds: ['history'], since: '2026-12-01T00:00:00.000Z' })
    expect(since.hits.map((hit) => hit.entry.id)).toEqual([entry.id])
    await expect(history.appendHistory(' ')).rejects.toMatchObject({ code: 'INVALID' })
  })
})

describe('historyMemory', () => {
  it('has an entry in the file of its month and in the mirror, with the same heading', async () => {
    const workspace = newFolder()
    const memory = await openMemory({ workspace, clock: () => Date.parse('2026-11-15T14:03:00.123Z'), timezone: 'UTC' })
    afterThisFile(() => memory.close())
    await historyMemory(memory).appendHistory('[2026-11-15 14:03] Ann chose tea.')
    for (const file of ['HISTORY-2026-11.md', 'HISTORY.md']) {
      const text = readFileSync(join(workspace, 'agents/main', file), 'utf8')
      expect(text).toMatch(/## 2026-11-15T14:03:00\.123Z\n<!-- .* -->\n\n\[2026-11-15 14:03\] Ann chose tea\.\n$/)
    }
  })
})

const clock = (): number => Date.parse('2026-11-16T13:05:00.000Z')
const messages: readonly ConversationEntry[] = [
  { role: 'user', content: 'We moved to Postgres 17.', timestamp: '2026-11-16T13:00:00.000Z' },
  { role: 'assistant', content: 'Noted.', toolsUsed: ['remember'] },
]
const replies = (...texts: string[]): PromptFn => {
  const left = [...texts]
  return async () => ({ content: left.shift() ?? '' })
}

describe('ConsolidationService', () => {
  it('asks with memory, conversation and model, and gives back what was condensed', async () => {
    const asked: (readonly [string, string])[] = []
    const prompt: PromptFn = async (message, { model }) => {
      asked.push([message, model])
      return { content: '```json\n{"history_entry": "Moved to Postgres 17.", "memory_update": "- Postgres 17"}\n```' }
    }
    const service = new ConsolidationService(prompt, 'small', 8192, { clock, zone: 'Europe/Berlin' })
    expect(await service.consolidate(messages, '- Postgres 16')).toEqual({
      historyEntry: '[2026-11-16 14:05] Moved to Postgres 17.',
      memoryUpdate: '- Postgres 17',
    })
    expect(asked).toHaveLength(1)
    const [[message, model] = ['', '']] = asked
    expect(model).toBe('small')
    expect(message).toContain('- Postgres 16')
    expect(message).toContain('[2026-11-16 14:00] USER: We moved to Postgres 17.')
    expect(message).toContain('ASSISTANT (remember): Noted.')
    expect(message).not.toContain('Compress')
  })

  it('asks to compress from more bytes on than it was told, and takes what comes then', async () => {
    let asked = ''
    const prompt: PromptFn = async (message) => {
      asked = message
      return { content: '{"history_entry": "[2026-11-16 12:00] x", "memory_update": "y"}' }
    }
    const memory = 'ä'.repeat(6)
    await new ConsolidationService(prompt, 'm', 12).consolidate(messages, memory)
    expect(asked).not.toContain('Compress')
    const result = await new ConsolidationService(prompt, 'm', 11).consolidate(messages, memory)
    expect(asked).toContain('Compress "memory_update" below 11 bytes')
    expect(result).toEqual({ historyEntry: '[2026-11-16 12:00] x', memoryUpdate: 'y' })
  })

  it('leaves the memory out where it is unchanged, and tells of a rewrite that drops most of it', async () => {
    const same = '{"history_entry": "[2026-11-16 12:00] x", "memory_update": "- a long fact\\n"}'
    const gone = '{"history_entry": "[2026-11-16 12:00] x", "memory_update": "- b"}'
    const service = new ConsolidationService(replies(same, gone), 'm')
    expect(await service.consolidate(messages, '- a long fact')).toEqual({ historyEntry: '[2026-11-16 12:00] x' })
    expect(await service.consolidate(messages, '- a long fact')).toEqual({
      historyEntry: '[2026-11-16 12:00] x',
      refused: { memoryUpdate: '- b', reason: 'shrinks', detail: 'from 13 to 3 bytes, unasked' },
    })
  })

  it('refuses a rewrite that may be only a part', async () => {
    const cut = '{"history_entry": "[2026-11-16 12:00] x", "memory_update": "- a long fact\\n- and anoth'
    const { memoryUpdate, refused } = await new ConsolidationService(replies(cut), 'm').consolidate(messages, '- b')
    expect(memoryUpdate).toBeUndefined()
    expect(refused).toMatchObject({ memoryUpdate: '- a long fact\n- and anoth', reason: 'doubtful' })
  })

  it('writes the raw entry where the model gives only a memory, and rejects where it gives nothing', async () => {
    const service = new ConsolidationService(replies('{"memory_update": "- tea"}', 'Sorry.'), 'm', undefined, { clock })
    const { historyEntry, memoryUpdate } = await service.consolidate(messages, '')
    expect(historyEntry).toMatch(/^\[2026-11-16 13:05\] \[raw-fallback\] .*\n- user: We moved to Postgres 17\.\n/)
    expect(memoryUpdate).toBe('- tea')
    await expect(service.consolidate(messages, '')).rejects.toMatchObject({ code: 'MODEL', data: { reply: 'Sorry.' } })
  })

  it('asks once at a time, in order, also after one that fails', async () => {
    let running = 0
    const order: string[] = []
    const prompt: PromptFn = async (message) => {
      expect(++running).toBe(1)
      await new Promise((done) => setImmediate(done))
      running--
      const [name = ''] = /job \d/.exec(message) ?? []
      order.push(name)
      if (name === 'job 2') throw new Error('down')
      return { content: `{"history_entry": "[2026-11-16 12:00] ${name}"}` }
    }
    const service = new ConsolidationService(prompt, 'm')
    const jobs = [1, 2, 3].map((n) => service.consolidate([{ role: 'user', content: `job ${n}` }], ''))
    const results = await Promise.allSettled(jobs)
    expect(order).toEqual(['job 1', 'job 2', 'job 3'])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(results[1]).toMatchObject({ reason: { message: 'down' } })
  })

  it('asks nothing where nothing was said, and refuses what it does not understand', async () => {
    const service = new ConsolidationService(async () => Promise.reject(new Error('asked')), 'm')
    expect(await service.consolidate([], 'x')).toEqual({})
    await expect(service.consolidate(messages, undefined as never)).rejects.toMatchObject({ code: 'INVALID' })
    await expect(service.consolidate('hi' as never, '')).rejects.toMatchObject({ code: 'INVALID' })
    for (const broken of [{ role: 'user' }, { content: 'Hi' }, { role: 'user', content: 1 }, null, undefined, 'Hi']) {
      await expect(service.consolidate([...messages, broken as never], '')).rejects.toMatchObject({
        code: 'INVALID',
        message: expect.stringContaining(`messages[${messages.length}]`),
      })
    }
    expect(() => new ConsolidationService(undefined as never, 'm')).toThrow('promptFn')
    expect(() => new ConsolidationService(replies(), 'm', 0)).toThrow('maxMemorySize')
    expect(() => new ConsolidationService(replies(), 'm', 1, { zone: 'Nowhere/None' })).toThrow('time zone')
  })
})
