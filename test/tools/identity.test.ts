/** The identity is written by its owner's hand, unless `soul_editable` says otherwise: by no tool and by no method. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { itOn } from '../one-row.ts'
import { Bench, type Data, newFolder, STORES } from './bench.ts'

const REASON = 'the identity is not written: soul_editable is false'

describe.each(STORES)('on the %s store', (store) => {
  const it = itOn(store, 'soul_editable false refuses every way to write it, with that reason')
  it('soul_editable false refuses every way to write it, with that reason', async () => {
    const owner = await Bench.open(store, { soulEditable: true })
    const { entry, change } = await owner.memory.remember('I am Crab.', { kind: 'identity' })
    const bench = await Bench.open(store, { store: owner.memory.store })
    expect(bench.memory.settings.soulEditable).toBe(false)
    for (const [which, args] of [
      ['default.remember', { content: 'I am Lobster.', kind: 'identity' }],
      ['default.forget', { ref: 'IDENTITY' }],
      ['default.forget', { ref: 'IDENTITY', confirm: true }],
      ['default.forget', { ref: 'identity', confirm: true }],
      ['default.forget', { ref: entry.id, confirm: true }],
      ['default.undo', {}],
      ['default.undo', { change: change?.number }],
    ] as const) {
      const { isError, structured } = await bench.call(which, args)
      const { error } = structured as Data
      expect([isError, error.code, error.message], which).toEqual([true, 'READ_ONLY', REASON])
      expect(error.hint).toContain('for the user to change')
    }
    const { memory } = bench
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      remember: () => memory.remember('x', { kind: 'identity' }),
      forget: () => memory.forget('IDENTITY'),
      purge: () => memory.purge('IDENTITY'),
      undo: () => memory.undo(),
      'undo of a number': () => memory.undo({ changes: [change?.number ?? 0] }),
      write: () => memory.apply([{ op: 'write', id: entry.id, content: 'x' }]),
      remove: () => memory.apply([{ op: 'remove', id: entry.id }]),
      add: () => memory.apply([{ op: 'add', scope: 'main', kind: 'identity', content: 'x' }]),
      'as another': () => memory.as('other').remember('x', { kind: 'identity' }),
    }
    for (const [way, write] of Object.entries(ways)) {
      await expect(write(), way).rejects.toMatchObject({ code: 'READ_ONLY', message: REASON })
    }
    // The names that could be taken for it are no way round.
    expect((await bench.call('crabtalk.forget', { name: 'IDENTITY' })).isError).toBe(true)
    expect((await bench.call('crabtalk.remember', { name: 'IDENTITY', description: '', content: 'x' })).isError).toBe(
      true,
    )
    expect(await bench.done('reachy.forget_memory', { memory_id: entry.id })).toMatchObject({ success: false })
    expect((await owner.memory.find('IDENTITY')).content).toBe('I am Crab.')
    expect(await owner.memory.log()).toHaveLength(1)
  })

  it('soul_editable true lets soul read and write it', async () => {
    const bench = await Bench.open(store, { soulEditable: true })
    expect(await bench.done('default.soul')).toEqual({
      content: '',
      revision: 'new',
      message: 'There is no identity yet; your prompt has a default one.',
    })
    const { entry } = await bench.done('default.soul', { content: 'I am Crab.', expect: 'new' })
    expect(await bench.done('default.soul')).toMatchObject({ content: 'I am Crab.', revision: entry.revision })
    expect((await bench.done('crabtalk.soul', { content: 'I am Lobster.' })).result).toMatch(/^Rewrote the identity\./)
    const late = await bench.call('default.soul', { content: 'x', expect: entry.revision })
    expect((late.structured as Data).error.code).toBe('CONFLICT')
    await bench.done('default.undo')
    expect((await bench.done('crabtalk.soul')).result).toMatch(/\n\nI am Crab\.$/)
    const { isError, text } = await bench.call('default.remember', { content: 'x', kind: 'identity' })
    expect([isError, text]).toEqual([true, expect.stringContaining('soul writes the identity')])
  })
})

describe('an identity file outside the workspace', () => {
  async function crab(soulEditable: boolean): Promise<{ bench: Bench; file: string }> {
    const folder = newFolder()
    mkdirSync(join(folder, 'config'))
    const config = join(folder, 'config/agent.yaml')
    const lines = [
      'workspace: memory',
      'identity_file: ../Crab.md',
      `soul_editable: ${soulEditable}`,
      'tools: crabtalk',
    ]
    writeFileSync(config, `spec:\n  memory:\n${lines.map((line) => `    ${line}\n`).join('')}`)
    const file = join(folder, 'Crab.md')
    return { bench: await Bench.open('filesystem', { config }), file }
  }

  it('is written by soul where that is allowed', async () => {
    const { bench, file } = await crab(true)
    const soul = bench.tools().find(({ name }) => name === 'soul')
    expect((await soul?.run({ content: 'I am Crab.' }))?.isError).toBeUndefined()
    expect(readFileSync(file, 'utf8')).toBe('I am Crab.\n')
    writeFileSync(file, 'I am the owner.\n')
    expect((await soul?.run({}))?.text).toMatch(/\n\nI am the owner\.$/)
  })

  it('is left alone where it is not', async () => {
    const { bench, file } = await crab(false)
    expect(bench.tools().map(({ name }) => name)).not.toContain('soul')
    expect((await bench.call('default.remember', { content: 'x', kind: 'identity' })).text).toContain(REASON)
    await expect(bench.memory.remember('x', { kind: 'identity' })).rejects.toMatchObject({ message: REASON })
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, 'I am the owner.\n')
    expect((await bench.call('default.forget', { ref: 'IDENTITY', confirm: true })).text).toContain(REASON)
    await expect(bench.memory.purge('IDENTITY')).rejects.toMatchObject({ message: REASON })
    expect(readFileSync(file, 'utf8')).toBe('I am the owner.\n')
  })
})
