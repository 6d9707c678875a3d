/** Where a prompt says how to get at the rest of MEMORY.md, that tool gives it. */
import { expect, it } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import type { Preset } from '../../src/model/preset.ts'
import { REST_OF_MEMORY } from '../../src/prompt/directive.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { createMemoryTools } from '../../src/tools/index.ts'

it.each<Preset>(['default', 'agnx', 'crabtalk'])('%s', async (preset) => {
  const memory = await openMemory({ store: memoryStore({ clock: Date.now }) })
  const text = `${'so many words '.repeat(9000)}and the end`
  await memory.reflect(text)
  const [, name] = /^`(\w+)`/.exec(REST_OF_MEMORY[preset]) ?? []
  const tool = createMemoryTools(memory, undefined, { preset }).find((each) => each.name === name)
  expect((await tool?.run({}))?.text).toContain(text)
})
