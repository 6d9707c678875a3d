/** Where a memory that is opened by its folder gets its vectors from. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { newFolder } from '../tools/bench.ts'

function projectWith(embeddingModel: string): string {
  const folder = newFolder()
  mkdirSync(join(folder, '.keepsake'))
  writeFileSync(join(folder, 'agent.yaml'), `spec:\n  memory:\n    embedding_model: ${embeddingModel}\n`)
  return folder
}

describe('a file that was only found', () => {
  it('does not decide where memories are sent to', async () => {
    const from = projectWith('{ model: any, base_url: "https://elsewhere.example/v1" }')
    const memory = await openMemory({ from, env: {} })
    await memory.remember('Run make ship.', { name: 'Deploys' })
    const { hits, searched } = await memory.search('ship')
    expect(hits).toHaveLength(1)
    expect([searched.mode, searched.wordsOnly]).toEqual(['lexical', expect.stringContaining('elsewhere.example')])
    await expect(memory.search('ship', { mode: 'hybrid' })).rejects.toMatchObject({ code: 'NO_EMBEDDINGS' })
    await memory.close()
  })

  it('may say that there are no vectors', async () => {
    const memory = await openMemory({ from: projectWith('none') })
    await memory.remember('Run make ship.', { name: 'Deploys' })
    const { searched, warnings } = await memory.search('ship')
    expect([searched.mode, searched.wordsOnly, warnings]).toEqual(['lexical', undefined, []])
    await memory.close()
  })
})

it('refuses a model that is not built in', async () => {
  const memory = await openMemory({ workspace: newFolder(), embeddingModel: 'all-minilm' })
  await memory.remember('Run make ship.', { name: 'Deploys' })
  await expect(memory.search('ship')).rejects.toMatchObject({ code: 'INVALID' })
  expect((await memory.search('ship', { mode: 'lexical' })).hits).toHaveLength(1)
  await memory.close()
})
