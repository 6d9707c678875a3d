/** MEMORY.md is written to while the model thinks: by a hand, by `reflect`, at the very last moment. Nothing of it is lost. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { retryFallbacks } from '../../src/consolidate/retry.ts'
import { acceptReview } from '../../src/consolidate/review.ts'
import { Memory } from '../../src/memory.ts'
import type { Store } from '../../src/ports/store.ts'
import { interrupted } from '../filesystem/interrupted.ts'
import { liveTexts, talk } from '../session/places.ts'
import { Workspace } from '../session/workspace.ts'
import { answering, failing, memoryText, reply } from './models.ts'

describe('while the model thinks', () => {
  let workspace: Workspace
  let memory: Memory
  beforeEach(async () => {
    workspace = new Workspace()
    memory = workspace.open()
    await memory.reflect('# Facts\n- one\n- two\n- three')
    await talk(memory.session('s'), 1)
  })
  afterEach(() => workspace.remove())

  const byHand = (text: string): void => writeFileSync(join(workspace.root, 'agents/main/MEMORY.md'), text)

  it('an edit by hand of other lines is merged with what the model says', async () => {
    const { model } = answering(() => {
      byHand('# Facts\n- one, by hand\n- two\n- three\n')
      return reply('Said.', '# Facts\n- one\n- two\n- three\n- four')
    })
    const done = await consolidate(memory, 's', { model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'merged' })
    expect(await memoryText(workspace.open())).toBe('# Facts\n- one, by hand\n- two\n- three\n- four')
    await memory.undo()
    expect(await memoryText(memory)).toBe('# Facts\n- one, by hand\n- two\n- three')
  })

  it('a reflect of another process is merged too', async () => {
    const { model } = answering(async () => {
      await workspace.open().reflect('# Facts\n- one\n- two\n- three\n- told')
      return reply('Said.', '# Facts\n- first\n- two\n- three')
    })
    expect(await consolidate(memory, 's', { model })).toMatchObject({ memory: 'merged' })
    expect(await memoryText(memory)).toBe('# Facts\n- first\n- two\n- three\n- told')
  })

  it('an edit of the same lines stays, and the rewrite is kept for review', async () => {
    const { model } = answering(() => {
      byHand('# Facts\n- one\n- two, by hand\n- three\n')
      return reply('Said.', '# Facts\n- one\n- two, by the model\n- three')
    })
    const done = await consolidate(memory, 's', { model })
    expect(done).toMatchObject({ outcome: 'condensed', memory: 'for review', review: { reason: 'conflicts' } })
    expect(await memoryText(workspace.open())).toBe('# Facts\n- one\n- two, by hand\n- three')
    expect(await liveTexts(memory.session('s'))).toEqual([])
    // Whoever accepts it has seen both.
    await acceptReview(memory)
    expect(await memoryText(memory)).toBe('# Facts\n- one\n- two, by the model\n- three')
  })

  it('all that is not in question is in the rewrite that is kept for review', async () => {
    const { model } = answering(() => {
      byHand('# Facts\n- one, by hand\n- two, by hand\n- three\n- new, by hand\n')
      return reply('Said.', '# Facts, by the model\n- one\n- two, by the model\n- three')
    })
    expect(await consolidate(memory, 's', { model })).toMatchObject({ review: { reason: 'conflicts' } })
    await acceptReview(memory)
    const both = '# Facts, by the model\n- one, by hand\n- two, by the model\n- three\n- new, by hand'
    expect(await memoryText(memory)).toBe(both)
  })

  it.each([
    ['leaves MEMORY.md as it is', () => reply('Said.')],
    ['fails', () => 'no reply that can be read'],
  ])('an edit by hand is a change before the one of a model that %s', async (_, answer) => {
    byHand('# Facts\n- one, before\n- two\n- three\n')
    const { model } = answering(() => {
      byHand('# Facts\n- one, before\n- two\n- three, meanwhile\n')
      return answer()
    })
    await consolidate(memory, 's', { model })
    const { undone } = await memory.undo()
    expect(undone.map(({ change }) => change.origin.by)).not.toContain('hand')
    expect(await memoryText(memory)).toBe('# Facts\n- one, before\n- two\n- three, meanwhile')
    expect(await memory.list({ kinds: ['archive', 'history'] })).toEqual([])
    expect(await memory.log({ by: 'hand' })).toHaveLength(2)
  })

  it('a MEMORY.md that comes to be meanwhile is not overwritten', async () => {
    const other = workspace.open().as('other')
    await talk(other.session('s'), 1)
    const { model } = answering(async () => {
      await workspace.open().as('other').reflect('- told first')
      return reply('Said.', '- found out')
    })
    expect(await consolidate(other, 's', { model })).toMatchObject({ memory: 'merged' })
    expect(await memoryText(other)).toBe('- told first\n- found out')
  })

  it('turns that come stay', async () => {
    const { model } = answering(async () => {
      await talk(workspace.open().session('s'), 2)
      return reply('Said.', '# Facts\n- one\n- two\n- three\n- four')
    })
    await consolidate(memory, 's', { model, reason: 'new' })
    expect(await liveTexts(workspace.open().session('s'))).toEqual(['question 2', 'answer 2'])
  })

  it('an edit between the decision and the write is seen, however often', async () => {
    for (const edits of [1, 3, 1000]) {
      await talk(memory.session(`edits ${edits}`), 1)
      let left = edits
      let number = 0
      const busy: Store = {
        ...memory.store,
        apply: async (batch, options) => {
          if (batch.origin.by === 'consolidation' && left-- > 0) {
            byHand(`# Facts\n- one\n- two\n- three\n- by hand ${edits}.${++number}\n`)
          }
          return memory.store.apply(batch, options)
        },
      }
      const { model, prompts } = answering(reply('Said.', `# Facts\n- zero ${edits}\n- one\n- two\n- three`))
      const done = await consolidate(new Memory(busy, 'main', Date.now), `edits ${edits}`, { model })
      expect(prompts).toHaveLength(1)
      expect(done).toMatchObject({ outcome: 'condensed', memory: edits === 1000 ? 'for review' : 'merged' })
      const text = await memoryText(workspace.open())
      expect(text).toContain(`- by hand ${edits}.${number}`)
      expect(text?.includes(`- zero ${edits}`)).toBe(edits !== 1000)
      await memory.reflect('# Facts\n- one\n- two\n- three')
    }
  })

  it('an edit of the same lines after many others leaves only these to a person', async () => {
    let edits = 0
    const busy: Store = {
      ...memory.store,
      apply: async (batch, options) => {
        if (batch.origin.by === 'consolidation' && ++edits < 10) {
          byHand(`# Facts\n- one\n- two${edits === 9 ? ', by hand' : ''}\n- three\n- edit ${edits}\n`)
        }
        return memory.store.apply(batch, options)
      },
    }
    const { model } = answering(reply('Said.', '# Facts\n- one\n- two, by the model\n- three'))
    const done = await consolidate(new Memory(busy, 'main', Date.now), 's', { model })
    expect([edits, done.review?.reason]).toEqual([10, 'conflicts'])
    expect(await memoryText(memory)).toContain('- two, by hand')
    await acceptReview(memory)
    expect(await memoryText(memory)).toBe('# Facts\n- one\n- two, by the model\n- three\n- edit 9')
  })
})

describe('after a crash between journal and files', () => {
  let workspace: Workspace
  beforeEach(() => {
    workspace = new Workspace()
  })
  afterEach(() => workspace.remove())

  const memoryFile = (): string => readFileSync(join(workspace.root, 'agents/main/MEMORY.md'), 'utf8')

  it('the next run finds it condensed and writes the files', async () => {
    const memory = workspace.open()
    await memory.reflect('- one')
    await talk(memory.session('s'), 1)
    const { model } = answering(reply('Said.', '- one\n- two'))
    await interrupted(workspace.root, () => consolidate(memory, 's', { model }))
    expect(memoryFile()).toBe('- one\n')
    expect(await consolidate(workspace.open(), 's', { model })).toMatchObject({
      why: 'already condensed',
      warnings: [],
    })
    expect(memoryFile()).toBe('- one\n- two\n')
    expect(await workspace.open().log({ by: 'hand' })).toEqual([])
  })

  it('the next retry writes the files, though nothing is left to retry', async () => {
    const memory = workspace.open()
    await memory.reflect('- one')
    await talk(memory.session('s'), 1)
    await consolidate(memory, 's', { model: failing().model, reason: 'new' })
    const { model } = answering(reply('Said.', '- one\n- two'))
    await interrupted(workspace.root, () => retryFallbacks(memory, { model }))
    expect(memoryFile()).toBe('- one\n')
    expect(await retryFallbacks(workspace.open(), { model })).toEqual([])
    expect(memoryFile()).toBe('- one\n- two\n')
  })

  it('so does the next retry, and an edit that came first is told', async () => {
    const memory = workspace.open()
    await memory.reflect('- one')
    await talk(memory.session('s'), 1)
    await consolidate(memory, 's', { model: failing().model, reason: 'new' })
    await talk(memory.session('t'), 1)
    await consolidate(memory, 't', { model: failing().model, reason: 'new' })
    const { model } = answering(reply('Said.', '- one\n- two'), '')
    await interrupted(workspace.root, () => retryFallbacks(memory, { model }))
    writeFileSync(join(workspace.root, 'agents/main/MEMORY.md'), '- one\n- by hand\n')
    const [again] = await retryFallbacks(workspace.open(), { model: answering(reply('Said.')).model })
    expect(again?.warnings.join()).toContain('MEMORY.md was edited by hand where a crash had kept change')
    expect(memoryFile()).toBe('- one\n- by hand\n')
  })
})
