/** Purging an archive takes its history entry with it, for that says the same; forgetting it does not. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { Memory } from '../../src/memory.ts'
import { liveTexts, talk } from '../session/places.ts'
import { untold } from '../session/untold.ts'
import { Workspace } from '../session/workspace.ts'
import { answering, failing, reply, textsOf } from './models.ts'

describe('an archive that is taken away', () => {
  let workspace: Workspace
  let memory: Memory
  beforeEach(async () => {
    workspace = new Workspace()
    memory = workspace.open()
    await talk(memory.session('s'), 1)
    await consolidate(memory, 's', { model: answering(reply('The password is xyzzy.')).model })
    await memory.remember('something else', { kind: 'history' })
  })
  afterEach(() => workspace.remove())

  function filesWith(text: string): string[] {
    const files = readdirSync(workspace.root, { recursive: true, encoding: 'utf8' })
    return files.filter((file) => {
      const path = join(workspace.root, file)
      // The lock is made of links that lead nowhere.
      return lstatSync(path).isFile() && readFileSync(path).includes(text)
    })
  }

  it('leaves no trace in history, files and past when it is purged', async () => {
    expect(filesWith('xyzzy').length).toBeGreaterThan(2)
    const { entry, cleaned } = await memory.purge('s-1')
    expect(entry.name).toBe('s-1')
    expect(cleaned[0]).toContain('history')
    expect(await textsOf(memory, 'history')).toEqual(['something else'])
    expect(filesWith('xyzzy')).toEqual([])
  })

  it('goes in one change with its history entry, so that no crash parts the two', async () => {
    const numberOf = async (text: string): Promise<number> => (await memory.remember(text)).change?.number ?? 0
    const before = await numberOf('before')
    await memory.purge('s-1')
    expect(await numberOf('after')).toBe(before + 2)
  })

  it('takes the mirrors of those with it that were called so before', async () => {
    await talk(memory.session('t'), 2)
    await consolidate(memory, 't', { model: failing().model })
    await consolidate(memory, 't', { model: answering(reply('Condensed at last.')).model })
    expect(await textsOf(memory, 'history')).toHaveLength(4)
    await memory.purge('t-1')
    expect(filesWith('Condensed at last.')).toEqual([])
    expect(filesWith('[raw-fallback]')).toEqual([])
    expect(await textsOf(memory, 'history')).toHaveLength(2)
  })

  it('leaves nothing to ask a model about where all that was said is purged', async () => {
    await memory.session('t').append({ role: 'user', content: 'The quokka eats figs.' })
    await memory.remember('The quokka eats figs.', { name: 'quokka' })
    await memory.purge('quokka')
    expect(await liveTexts(memory.session('t'))).toEqual(['[purged]'])
    const { model, prompts } = answering(reply('Said.'))
    expect(await consolidate(memory, 't', { model })).toMatchObject({ outcome: 'nothing' })
    expect(await consolidate(memory, 't', { model, reason: 'new' })).toMatchObject({ marker: { reason: 'new' } })
    expect([prompts, await liveTexts(memory.session('t'))]).toEqual([[], []])
  })

  it('leaves its history entry when it is forgotten', async () => {
    await memory.forget('s-1')
    expect(await textsOf(memory, 'history')).toHaveLength(2)
  })

  it('is made anew where a crash has kept its marker and it was forgotten then', async () => {
    await talk(memory.session('t'), 1)
    const { model } = answering(reply('Said.'))
    const crashing = new Memory(untold(workspace.open().store), 'main', Date.now)
    await expect(consolidate(crashing, 't', { model })).rejects.toThrow('crashed')
    await memory.forget('t-1')
    expect(await consolidate(memory, 't', { model })).toMatchObject({
      outcome: 'condensed',
      archives: [{ name: 't-1' }],
    })
    expect(await liveTexts(workspace.open().session('t'))).toEqual([])
  })
})
