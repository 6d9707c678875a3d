/** The lists of tools as clients get them, byte for byte. To rewrite the golden files: npx vitest run test/tools/lists.test.ts -u */
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PRESET_NAMES, type Preset } from '../../src/model/preset.ts'
import { createMemoryTools, type Tool } from '../../src/tools/index.ts'
import { Bench } from './bench.ts'

/** As `tools/list` of MCP has it. */
function listed(tools: readonly Tool[]): object[] {
  return tools.map(({ name, title, description, inputSchema, annotations, everyday }) => ({
    name,
    title,
    description,
    inputSchema,
    annotations,
    ...(everyday ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  }))
}

async function toolsOf(preset: Preset, soulEditable = false): Promise<readonly Tool[]> {
  return (await Bench.open('memory', { soulEditable })).tools(preset)
}

/** As the formatter leaves it: a list of words on one line where it fits. */
function written(tools: readonly Tool[]): string {
  const text = `${JSON.stringify(listed(tools), null, 2)}\n`
  return text.replace(/^(.*)\[\n([^[\]{}]*?)\n *\](,?)$/gm, (all, before: string, inner: string, after: string) => {
    const line = `${before}[${inner.trim().replace(/,\n +/g, ', ')}]${after}`
    return line.length <= 120 ? line : all
  })
}

function golden(name: string): string {
  return resolve(import.meta.dirname, `golden/${name}.json`)
}

describe('the list of tools', () => {
  it.each(PRESET_NAMES)('of %s is what the golden file says', async (preset) => {
    await expect(written(await toolsOf(preset))).toMatchFileSnapshot(golden(preset))
  })

  it.each(['default', 'crabtalk'] as const)('of %s has soul where the identity may be written', async (preset) => {
    const tools = await toolsOf(preset, true)
    await expect(written(tools)).toMatchFileSnapshot(golden(`${preset}-soul`))
    expect(listed(tools.filter(({ name }) => name !== 'soul'))).toEqual(listed(await toolsOf(preset)))
    expect(tools.at(-1)?.name).toBe('soul')
  })

  it.each(['agnx', 'reachy'] as const)('of %s has no soul in any case', async (preset) => {
    expect(listed(await toolsOf(preset, true))).toEqual(listed(await toolsOf(preset)))
  })

  it('of the default preset is at most 6,000 bytes, with soul too', async () => {
    const bytes = (tools: readonly Tool[]): number => Buffer.byteLength(JSON.stringify({ tools: listed(tools) }))
    expect(bytes(await toolsOf('default'))).toBeLessThanOrEqual(6000)
    expect(bytes(await toolsOf('default', true))).toBeLessThanOrEqual(6600)
  })

  it.each([
    ['default', ['recall', 'remember', 'reflect', 'learn_fact', 'forget', 'undo'], ['recall', 'remember']],
    ['agnx', ['recall', 'remember', 'reflect', 'learn_fact'], ['recall', 'remember']],
    ['reachy', ['search_memories', 'store_memory', 'forget_memory'], ['search_memories', 'store_memory']],
    ['crabtalk', ['remember', 'forget', 'recall', 'memory'], ['remember', 'recall']],
  ] as const)('of %s has its names, and the everyday ones are loaded at once', async (preset, names, everyday) => {
    const tools = await toolsOf(preset)
    expect(tools.map(({ name }) => name)).toEqual(names)
    expect(tools.filter((tool) => tool.everyday).map(({ name }) => name)).toEqual(everyday)
  })

  it.each(PRESET_NAMES)('of %s says of each parameter what it is, and only reading is read-only', async (preset) => {
    for (const { name, inputSchema, annotations, description } of await toolsOf(preset, true)) {
      expect(inputSchema.additionalProperties).toBe(false)
      for (const one of inputSchema.required ?? []) expect(Object.keys(inputSchema.properties)).toContain(one)
      expect(annotations.readOnlyHint).toBe(/^(recall|search_memories)$/.test(name))
      expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false)
      expect(description.length).toBeGreaterThan(40)
    }
  })

  it('is the preset of the memory when nothing is said, and another when it is', async () => {
    const { memory } = await Bench.open('memory', { tools: 'reachy' })
    expect(createMemoryTools(memory)[0]?.name).toBe('search_memories')
    expect(createMemoryTools(memory, 'scout', { preset: 'agnx' })[0]?.name).toBe('recall')
    expect(() => createMemoryTools(memory, undefined, { preset: 'toString' as Preset })).toThrow(/not a preset/)
    expect(() => createMemoryTools(memory, '../other')).toThrow(/not an agent id/)
  })
})
