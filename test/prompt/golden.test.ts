/** The whole of what a model is given, for each preset: whoever changes a word of it sees what that does. */
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/memory.ts'
import { PRESET_NAMES } from '../../src/model/preset.ts'
import { MESSAGE, sampleMemory } from './sample-memory.ts'

async function given(memory: Memory, recap?: string): Promise<string> {
  const { system, recall, parts } = await memory.context({
    message: MESSAGE,
    ...(recap === undefined ? {} : { recap }),
  })
  const costs = parts.map(({ part, tokens }) => `${part} ${tokens}`).join(', ')
  return [`(${costs})`, system, recall]
    .filter((text) => text !== '')
    .join('\n\n=====\n\n')
    .concat('\n')
}

function golden(name: string): string {
  return resolve(import.meta.dirname, `golden/${name}.txt`)
}

describe('the prompt', () => {
  it.each(PRESET_NAMES)('of the preset %s is what the golden file says', async (tools) => {
    await expect(await given(await sampleMemory({ tools }))).toMatchFileSnapshot(golden(tools))
  })

  it('of an agent that may write its identity, with a recap, is what the golden file says', async () => {
    const memory = await sampleMemory({ tools: 'crabtalk', soulEditable: true })
    const recap = 'user: Shall we ship?\nassistant: After lunch.'
    await expect(await given(memory, recap)).toMatchFileSnapshot(golden('crabtalk-soul-recap'))
  })

  it('of an agent without anything is what the golden file says', async () => {
    await expect(await given((await sampleMemory()).as('newcomer'))).toMatchFileSnapshot(golden('newcomer'))
  })
})
