/** The server in examples/ without a script: as the program that people start, and what it says. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { anthropicModel } from '../../src/complete/anthropic.ts'
import { openaiModel } from '../../src/complete/openai.ts'
import { type ConsolidationPromptInput, consolidationPrompt } from '../../src/prompt/consolidation-prompt.ts'
import { afterThisFile } from '../clean-up.ts'

const PROGRAM = resolve(import.meta.dirname, '../../examples/scripted-model.mjs')

const TOOLS = ['remember', 'recall'].map((name) => ({ name, description: name, inputSchema: { type: 'object' } }))

const TALK: ConsolidationPromptInput = {
  memory: '# Me\n\n- Likes tea',
  conversation: [
    {
      role: 'user',
      content: 'Hello there, my name is Ada.\nRemember that we ship on Fridays! Do you?',
      at: '2026-03-01T11:00:00Z',
    },
    { role: 'assistant', content: 'Noted. Remember that I said so.', at: '2026-03-01T11:01:00Z' },
    { role: 'user', content: 'Also, we use v1.2 of pnpm. Bye', at: '2026-03-01T11:02:00Z' },
  ],
  now: '2026-03-01T12:00:00Z',
  zone: 'UTC',
}

describe('the scripted model', () => {
  it('is a program that tells its address, answers over both APIs, and ends on a signal', async () => {
    const program = spawn(process.execPath, [PROGRAM, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
    afterThisFile(() => program.kill('SIGKILL'))
    const [line] = await once(createInterface(program.stdout), 'line')
    const baseUrl =
      /OPENAI_BASE_URL=(http:\/\/127\.0\.0\.1:\d+\/v1) OPENAI_MODEL=any keepsake chat$/.exec(line)?.[1] ?? ''
    for (const make of [openaiModel, anthropicModel]) {
      const { complete } = make({ model: 'any', baseUrl })
      const ask = (message: string): ReturnType<typeof complete> => complete(message, { model: 'any', tools: TOOLS })
      expect((await ask('<recall>\n- old\n</recall>\n\nGood morning')).content).toBe('You said: Good morning')
      expect((await ask('Please remember that I like tea')).toolCalls).toMatchObject([
        { name: 'remember', arguments: { content: 'I like tea' } },
      ])
      expect((await ask('What do I like?')).toolCalls).toMatchObject([
        { name: 'recall', arguments: { query: 'What do I like?' } },
      ])
      expect(JSON.parse((await ask(consolidationPrompt(TALK))).content)).toEqual({
        history_entry: expect.stringMatching(/^\[2026-03-01 11:02\] .*Hello there, my name is Ada\..*\(3 messages\)$/),
        memory_update: '# Me\n\n- Likes tea\n- My name is Ada\n- We ship on Fridays\n- We use v1.2 of pnpm',
      })
      const empty = consolidationPrompt({ ...TALK, memory: '', conversation: TALK.conversation.slice(1, 2) })
      expect(JSON.parse((await ask(empty)).content)).toMatchObject({ memory_update: '' })
    }
    program.kill('SIGTERM')
    expect(await once(program, 'exit')).toEqual([0, null])
  })
})
