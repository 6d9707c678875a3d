import { describe, expect, it } from 'vitest'
import { openMemory } from '../memory.ts'
import { memoryStore } from '../stores/memory.ts'

describe('the topic that a name means', () => {
  it.each(['deploy-steps', 'Deploy Steps', 'DEPLOY_STEPS', 'Releases', 'releases', 'Deploys', 'Deploy  steps'])(
    'is the same to read and to write: %s',
    async (name) => {
      const memory = await openMemory({ store: memoryStore() })
      await memory.learnFact('deploy-steps', 'Shared.')
      await memory.alias('deploy-steps', 'Releases')
      const before = await memory.topic(name)
      const { entry, replaced } = await memory.learnFact(name, 'Shared anew.')
      expect(before?.revision).toBe(replaced)
      expect((await memory.topic(name))?.id).toBe(entry.id)
    },
  )

  it('is none where two are spelled so', async () => {
    const memory = await openMemory({ store: memoryStore() })
    await memory.learnFact('a b', 'one')
    await memory.apply([{ op: 'add', scope: 'world', kind: 'topic', name: 'A-B', content: 'two' }])
    expect(await memory.topic('A_b')).toBeUndefined()
    expect((await memory.topic('A-B'))?.content).toBe('two')
  })
})
