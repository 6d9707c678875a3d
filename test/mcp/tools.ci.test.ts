/** Every tool of every preset with the real client, in both eras: a good call and a bad one. One server for each. */
import { beforeAll, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { PRESET_NAMES, type Preset } from '../../src/model/preset.ts'
import { createMemoryTools } from '../../src/tools/index.ts'
import { Desk } from '../cli/keepsake.ts'
import { type Connected, connect, ERAS, textOf } from './harness.ts'

interface Call {
  readonly tool: string
  readonly good: Readonly<Record<string, unknown>>
  /** In the text and in the structured answer. */
  readonly says: string
  readonly bad: Readonly<Record<string, unknown>>
  /** In both, too. */
  readonly problem: string
}

const RECALL: Call = { tool: 'recall', good: { days: '1' }, says: 'Sail at dawn.', bad: { days: -1 }, problem: 'days' }
const REFLECT: Call = {
  tool: 'reflect',
  good: { content: 'I like tides.' },
  says: 'MEMORY.md',
  bad: { contents: 'x' },
  problem: 'contents',
}
const LEARN: Call = {
  tool: 'learn_fact',
  good: { topic: 'Moon', content: 'It pulls.' },
  says: 'Moon',
  bad: { content: 'It pulls.' },
  problem: 'topic',
}

const CALLS: Readonly<Record<Preset, readonly Call[]>> = {
  default: [
    {
      tool: 'remember',
      good: { content: 'Sail at dawn.', name: 'Tides' },
      says: 'Tides',
      bad: { content: ' ' },
      problem: 'content',
    },
    { tool: 'recall', good: { query: 'dawn' }, says: 'Sail at dawn.', bad: { limit: 'many' }, problem: 'limit' },
    REFLECT,
    LEARN,
    { tool: 'forget', good: { ref: 'Tides' }, says: 'Tides', bad: { ref: 'Nobody' }, problem: 'Nobody' },
    { tool: 'undo', good: {}, says: 'Tides', bad: { change: 999_999 }, problem: '999999' },
  ],
  agnx: [
    { tool: 'remember', good: { content: 'Sail at dawn.' }, says: '.md', bad: {}, problem: 'content' },
    RECALL,
    REFLECT,
    LEARN,
  ],
  reachy: [
    {
      tool: 'store_memory',
      good: { content: 'Sail at dawn.' },
      says: 'Sail at dawn.',
      bad: { content: 'x', memory_type: 'dream' },
      problem: 'memory_type',
    },
    { tool: 'search_memories', good: { query: 'dawn' }, says: 'Sail at dawn.', bad: { query: '' }, problem: 'query' },
    { tool: 'forget_memory', good: { memory_id: 'nobody' }, says: 'nobody', bad: {}, problem: 'memory_id' },
  ],
  crabtalk: [
    {
      tool: 'remember',
      good: { name: 'Tides', description: 'when', content: 'Sail at dawn.' },
      says: 'Tides',
      bad: { name: 'Tides', content: 'x' },
      problem: 'description',
    },
    { tool: 'recall', good: { query: 'dawn', limit: 3 }, says: 'Sail at dawn.', bad: { query: [] }, problem: 'query' },
    { tool: 'forget', good: { name: 'Tides' }, says: 'Tides', bad: { name: 'Nobody' }, problem: 'Nobody' },
    { tool: 'memory', good: { content: 'I like tides.' }, says: 'MEMORY.md', bad: { content: 7 }, problem: 'content' },
    { tool: 'soul', good: { content: 'I am a crab.' }, says: 'IDENTITY.md', bad: { content: ' ' }, problem: 'content' },
  ],
}

/** The identity may be written, so that `soul` is there. */
async function editableDesk(): Promise<Desk> {
  const desk = await Desk.empty()
  desk.edit('../agent.yaml', 'spec:\n  memory:\n    soul_editable: true\n')
  return desk
}

describe.each(PRESET_NAMES.flatMap((preset) => ERAS.map((era) => ({ preset, era }))))(
  'the tools of $preset, $era',
  ({ preset, era }) => {
    let desk: Desk
    let server: Connected

    beforeAll(async () => {
      desk = await editableDesk()
      server = await connect(desk, era, ['--tools', preset])
    })

    it('are listed as they are defined, with what clients need to know', async () => {
      const { tools } = await server.client.listTools()
      const memory = await openMemory({ workspace: desk.workspace, tools: preset, soulEditable: true })
      const defined = createMemoryTools(memory).map(({ run: _, everyday, ...tool }) => ({
        ...tool,
        ...(everyday ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
      }))
      await memory.close()
      expect(tools).toEqual(defined)
      expect(tools.filter(({ _meta }) => _meta).length).toBe(2)
      expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(6000)
    })

    it('answer a good call in text and as data, a bad one with what is wrong', async () => {
      const { client } = server
      const known = (await client.listTools()).tools.map(({ name }) => name)
      const calls = CALLS[preset]
      // Each has its row here, but for the soul, which the default preset has too.
      expect(known.filter((name) => !calls.some(({ tool }) => tool === name))).toEqual(
        preset === 'default' ? ['soul'] : [],
      )
      for (const { tool: name, good, says, bad, problem } of calls) {
        const done = await client.callTool({ name, arguments: good })
        expect([name, done.isError]).toEqual([name, undefined])
        expect(textOf(done)).toContain(says)
        expect(JSON.stringify(done.structuredContent)).toContain(says)
        const refused = await client.callTool({ name, arguments: bad })
        expect([name, refused.isError]).toEqual([name, true])
        expect(textOf(refused)).toContain(problem)
        expect(JSON.stringify(refused.structuredContent)).toContain(problem)
        expect(refused.structuredContent).toMatchObject({ error: { code: expect.any(String) } })
      }
    })

    it('are all there are: another is an error that names them', async () => {
      const error = await server.client.callTool({ name: 'rm', arguments: {} }).catch((caught) => caught)
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(CALLS[preset][0]?.tool ?? '') })
    })

    it('come with instructions, a name and a version', () => {
      const { client } = server
      expect(client.getServerVersion()).toMatchObject({
        name: 'keepsake',
        title: 'Keepsake',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      })
      for (const { tool } of CALLS[preset]) expect(client.getInstructions()).toContain(tool)
    })
  },
)

describe('the directive of a workspace', () => {
  it('takes the place of the built-in instructions', async () => {
    const desk = await Desk.empty()
    await desk.make(['init', '--own'])
    desk.edit('directives/memory.md', 'Remember the tides.\n')
    expect((await connect(desk, 'modern')).client.getInstructions()).toContain('Remember the tides.')
  })
})
