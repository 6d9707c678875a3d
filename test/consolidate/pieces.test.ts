/**
 * A long conversation goes in pieces by what was said in it: an echo of any length is no piece of its own, and an exchange of any length is
 * one, though a model reads it in parts.
 */
import { describe, expect, it } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { liveTexts } from '../session/places.ts'
import { answering, longExchanges, memoryText, reply, sayAll, shownMemory } from './models.ts'

const FACTS = Array.from({ length: 70 }, (_, n) => `- The server heron${n} lives in rack ${n * 3} of the cellar.`).join(
  '\n',
)

it.each([
  ['before', 2],
  ['after', 1],
])('an echo %s what was said is condensed with it, and undone with it', async (at, calls) => {
  const memory = new Memory(memoryStore({ settings: { timezone: 'UTC' } }), 'main', Date.now)
  await memory.reflect(FACTS)
  const session = memory.session('s')
  await session.context({ message: 'hello' })
  if (at === 'after') await sayAll(session, longExchanges(1, 2))
  await session.append(Array.from({ length: 25 }, () => ({ role: 'user', content: FACTS }) as const))
  if (at === 'before') await sayAll(session, longExchanges(1, 4))
  const before = await liveTexts(session)
  const { model, prompts } = answering(reply('Said.'))
  const done = await consolidate(memory, 's', { model, reason: 'new' })
  expect([done.outcome, done.marker?.reason, prompts.length]).toEqual(['condensed', 'new', calls])
  const { turns, archive } = await session.view()
  expect([turns, archive]).toEqual([[], undefined])
  for (const { number } of done.changes.toReversed()) await memory.undo({ changes: [number] })
  expect(await liveTexts(session)).toEqual(before)
})

describe('one exchange that is longer than a model is given at once', () => {
  const STEPS = 60

  async function longExchange(): Promise<Memory> {
    const memory = new Memory(memoryStore({ settings: { timezone: 'UTC' } }), 'main', Date.now)
    await memory.reflect('- known')
    const steps = Array.from({ length: STEPS }, (_, n) => [
      { role: 'assistant', content: `DECISION${n}. ${`because of reason ${n} `.repeat(70)}`, tools: ['sh'] } as const,
      { role: 'tool', content: `RESULT${n}. ${`line ${n} `.repeat(120)}`, tools: ['sh'] } as const,
    ])
    await memory.session('s').append([{ role: 'user', content: 'Do it all' }, ...steps.flat()])
    return memory
  }

  it('is read in parts, none of it unseen, and is one change', async () => {
    const memory = await longExchange()
    let parts = 0
    const { model, prompts } = answering((prompt) => {
      parts++
      return reply(`[2026-11-16 14:0${parts}] Part ${parts}.`, `${shownMemory(prompt)}\n- from part ${parts}`)
    })
    const done = await consolidate(memory, 's', { model })
    expect(parts).toBeGreaterThan(1)
    for (let n = 0; n < STEPS; n++) {
      const [decision, ...others] = prompts.filter((prompt) => prompt.includes(`DECISION${n}.`))
      // A call stands with its result.
      expect([others, decision?.includes(`RESULT${n}.`)]).toEqual([[], true])
    }
    expect(prompts[1]).toContain('[2026-11-16 14:01] Part 1.')
    const texts = Array.from({ length: parts }, (_, n) => `[2026-11-16 14:0${n + 1}] Part ${n + 1}.`)
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'updated', warnings: [] })
    expect([done.archives, done.history, done.changes].map(({ length }) => length)).toEqual([1, 1, 1])
    expect([done.archives[0]?.content, done.history[0]?.content]).toEqual([texts.join('\n\n'), texts.join('\n\n')])
    const lines = Array.from({ length: parts }, (_, n) => `- from part ${n + 1}`)
    expect(await memoryText(memory)).toBe(['- known', ...lines].join('\n'))
    await memory.undo()
    expect(await memoryText(memory)).toBe('- known')
    expect((await memory.session('s').view()).turns).toHaveLength(1 + 2 * STEPS)
  })

  it('is kept whole where a later part fails', async () => {
    const memory = await longExchange()
    const { model, prompts } = answering(reply('Part.', '- known\n- more'), 'no reply')
    const done = await consolidate(memory, 's', { model })
    expect([done.outcome, done.memory, prompts.length]).toEqual(['fell back', 'unchanged', 2])
    expect(done.archives[0]?.content).toContain('DECISION0.')
    expect(done.archives[0]?.content).toContain(`RESULT${STEPS - 1}.`)
    expect(await memoryText(memory)).toBe('- known')
  })
})

it('what no prompt had room for is told', async () => {
  const memory = new Memory(memoryStore({ settings: { timezone: 'UTC' } }), 'main', Date.now)
  const { model, prompts } = answering(reply('Said.'))
  await sayAll(memory.session('s'), [`BEGIN ${'word '.repeat(20_000)}END`, 'Noted.'])
  const { warnings } = await consolidate(memory, 's', { model })
  expect(prompts[0]).toMatch(/BEGIN word[\s\S]*END/)
  const [, left = ''] = /\((\d+) characters left out\)/.exec(prompts[0] ?? '') ?? []
  expect(warnings).toEqual([expect.stringMatching(`^${left} characters of session "s" were too long`)])
})
