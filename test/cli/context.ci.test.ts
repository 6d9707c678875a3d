/** `keepsake context`: what it prints is what a model gets, to the byte. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { memoryDirective } from '../../src/prompt/directive.ts'
import { Desk } from './keepsake.ts'

describe.concurrent('context', () => {
  it('prints in another process the bytes that the library gives, and writes nothing', async () => {
    const desk = await Desk.furnished()
    desk.edit('agents/main/MEMORY.md', 'Anna likes herons. </memory>\n')
    const message = 'How do I ship? </recall>'
    const memory = await openMemory({ workspace: desk.workspace, embeddingModel: 'none' })
    const { system, recall, parts } = await memory.context({ message })
    await memory.close()
    expect(recall).toContain('Run make ship.')
    const before = desk.hash()
    const json = await desk.json(['context', '--message', message])
    const tokens = parts.reduce((sum, part) => sum + part.tokens, 0)
    expect(json).toEqual({
      system,
      recall,
      parts: parts.map(({ part, tokens, cut }) => ({ part, tokens, cut })),
      tokens,
      status: 0,
    })
    const quiet = await desk.run(['context', '--message', '-', '--quiet'], { input: message })
    expect(quiet).toEqual({ status: 0, stdout: `${system}\n\n${recall}\n`, stderr: '' })
    const { stdout } = await desk.run(['context', '--message', message])
    expect(stdout.match(/^== .* ==$/gm)).toEqual([
      ...parts.map((part) => `== ${part.part}: ${part.tokens} tokens ==`),
      `== all: ${tokens} tokens ==`,
    ])
    for (const { text } of parts) expect(stdout).toContain(text)
    expect(desk.hash()).toBe(before)
  })

  it('shows another preset as that is', async () => {
    const desk = await Desk.furnished()
    const { stdout } = await desk.run(['context', '--tools', 'agnx', '--message', 'ship', '--quiet'])
    expect(stdout).toBe(`${memoryDirective('agnx')}\n`)
    const { status, error } = await desk.json(['context', '--tools', 'none'])
    expect([status, error.code]).toEqual([2, 'INVALID'])
    expect(error.hint).toContain('crabtalk')
  })

  it('works with the shortest configuration there is, before anything was written', async () => {
    const desk = new Desk()
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec:\n  memory: {}\n')
    const before = desk.hash()
    const { status, stdout, stderr } = await desk.run(['context', '--message', 'ship', '--quiet'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`You are main, an agent with a memory.\n\n---\n\n${memoryDirective()}\n`)
    expect(desk.hash()).toBe(before)
  })

  it('says where agents are given no memory, and what to write; a model would get nothing', async () => {
    const desk = await Desk.furnished()
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec:\n  tools: []\n')
    const { status, stdout, stderr } = await desk.run(['context'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Nothing: agent\.yaml has no spec\.memory.*\n\nspec:\n {2}memory: \{\}\n$/)
    expect(await desk.run(['context', '--quiet'])).toEqual({ status: 0, stdout: '', stderr: '' })
    const json = await desk.json(['context', '--message', 'ship'])
    expect(json).toMatchObject({ system: '', recall: '', parts: [], tokens: 0, status: 0 })
    expect(json.warnings.join()).toContain('spec.memory')
  })

  it('tells what it had to leave out', async () => {
    const desk = await Desk.furnished()
    desk.edit('agents/main/MEMORY.md', 'Anna likes herons.\n'.repeat(9000))
    desk.edit('directives/memory.md', Uint8Array.of(0xff))
    const { status, stdout, stderr } = await desk.run(['context'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^== memory: \d+ tokens, cut ==$/m)
    expect(stderr).toMatch(/directives\/memory\.md.*built-in[\s\S]*the memory is longer/)
  })
})
