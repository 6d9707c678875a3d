/**
 * Runs every command once as a process, on one memory from `init` to `uninstall`, and checks that it does its main job. `embed` has
 * no model here and must refuse. Details are in test/cli.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allCommands } from '../cli/all-commands.ts'
import { Desk, ended } from '../cli/keepsake.ts'
import { condensing, modelEnvironment, replies } from '../cli/scripted.ts'

interface Step {
  /** The command's words, then its operands and options. */
  readonly call: readonly string[]
  /** Matches stdout. */
  readonly prints: RegExp
  readonly input?: string
  /** Exit status, 0 by default. */
  readonly status?: number
  readonly before?: (desk: Desk) => void
}

const ADD = '{"op":"add","kind":"note","name":"Posters","content":"Call the printer first."}'
const TRANSCRIPT = `${JSON.stringify({
  type: 'user',
  uuid: 'u1',
  sessionId: 's1',
  timestamp: '2026-11-15T19:29:10.111Z',
  message: { role: 'user', content: 'Which colour has the heron?' },
})}\n`

/** In order: later steps use what earlier ones wrote. `serve`, `chat` and `consolidate` are tested below, `mcp` in stores-and-clients.test.ts. */
const STEPS: readonly Step[] = [
  { call: ['init'], prints: /\.keepsake/ },
  { call: ['remember', 'Run make ship.', '--name', 'Deploys'], prints: /Deploys/ },
  { call: ['learn', 'Staging server', 'Its name is heron.'], prints: /Staging server/ },
  { call: ['reflect', 'We ship on Tuesdays.'], prints: /MEMORY\.md/ },
  { call: ['apply', '-'], input: ADD, prints: /Posters/ },
  { call: ['rename', 'Posters', 'Flyers'], prints: /Flyers/ },
  { call: ['alias', 'Flyers', 'leaflets'], prints: /leaflets/ },
  { call: ['show', 'leaflets'], prints: /Call the printer first\./ },
  { call: ['list'], prints: /Deploys[\s\S]*Flyers|Flyers[\s\S]*Deploys/ },
  { call: ['recall', 'staging server name'], prints: /heron/ },
  { call: ['context'], prints: /We ship on Tuesdays/ },
  { call: ['session', 'append', 'chat-1', '--role', 'user', 'We moved to Postgres 17.'], prints: /chat-1/ },
  { call: ['session', 'show', 'chat-1'], prints: /Postgres 17/ },
  { call: ['session', 'window', 'chat-1'], prints: /Postgres 17/ },
  { call: ['session', 'list'], prints: /chat-1/ },
  { call: ['session', 'compact', 'chat-1', '--summary', 'Moved to Postgres 17.'], prints: /chat-1-1/ },
  { call: ['session', 'reset', 'chat-1'], prints: /chat-1/ },
  { call: ['session', 'import', '-', '--from', 'claude', '--key', 'old'], input: TRANSCRIPT, prints: /old/ },
  { call: ['forget', 'Flyers', '--yes'], prints: /Flyers/ },
  { call: ['undo'], prints: /Flyers/ },
  { call: ['log'], prints: /Flyers[\s\S]*Deploys/ },
  { call: ['blame', 'Deploys'], prints: /Run make ship/ },
  { call: ['review'], prints: /Nothing waits/ },
  { call: ['accept', '--dry-run'], prints: /Nothing is held back/ },
  // No model in this tier: it fails and prints only to stderr.
  { call: ['embed'], status: 2, prints: /^$/ },
  { call: ['cleanup'], prints: /Nothing has expired/ },
  { call: ['doctor'], prints: /Nothing wrong/ },
  { call: ['backup', 'b.keepsake'], prints: /b\.keepsake/ },
  { call: ['restore', 'b.keepsake', '--workspace', 'copy'], prints: /copy/ },
  { call: ['move', '--to', 'memory.keepsake'], prints: /memory\.keepsake/ },
  { call: ['export', 'notes'], prints: /notes/ },
  { call: ['import', 'folder', 'notes', '--workspace', 'other'], prints: /Imported/ },
  {
    call: ['eval'],
    before: (desk) => appendFileSync(join(desk.workspace, 'recall.tests.md'), 'how to ship -> must find Deploys\n'),
    prints: /Deploys|passed/,
  },
  { call: ['config', 'timezone'], prints: /timezone/ },
  { call: ['setup'], prints: /embeddings/ },
  { call: ['completion', 'bash'], prints: /keepsake/ },
  {
    call: ['hook', 'claude'],
    input: JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'staging server name?' }),
    prints: /additionalContext.*heron/,
  },
  { call: ['install', 'claude'], prints: /\.mcp\.json/ },
  { call: ['uninstall', 'claude'], prints: /\.mcp\.json/ },
]
/** `session` alone only groups its subcommands. */
const NOT_IN_STEPS = ['session', 'serve', 'mcp', 'chat', 'consolidate']

describe('the command line', () => {
  it('has a smoke test of every command', async () => {
    const words = (await allCommands()).map((command) => command.words)
    const tried = STEPS.map(({ call }) => (call[0] === 'session' ? call.slice(0, 2).join(' ') : call[0]))
    expect([...tried, ...NOT_IN_STEPS].sort()).toEqual(words.sort())
  })

  const desk = new Desk()
  it.each(STEPS)('$call', async ({ call, input, prints, status = 0, before }) => {
    before?.(desk)
    const ran = await desk.run(call, input === undefined ? {} : { input })
    expect(ran, ran.stderr).toMatchObject({ status, stdout: expect.stringMatching(prints) })
  })

  it('serve', async () => {
    const served = desk.start(['serve', '--port', '0'])
    const link = await firstMatch(served, /http:\/\/127\.0\.0\.1:\d+/)
    const { status } = await fetch(link)
    served.kill('SIGTERM')
    await ended(served)
    expect(status).toBe(200)
  })

  it('chat', async () => {
    replies.push({ text: 'It is called heron.' })
    const ran = await desk.run(['chat'], { input: 'What is it called?\n', env: await modelEnvironment() })
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('It is called heron.') })
  })

  it('consolidate', async () => {
    await desk.make(['session', 'append', 'chat-2', '--role', 'user', 'The heron is grey.'])
    await desk.make(['session', 'append', 'chat-2', '--role', 'assistant', 'Noted.'])
    replies.push(condensing('They spoke about the heron.', 'We ship on Tuesdays. The heron is grey.'))
    const ran = await desk.run(['consolidate', 'chat-2'], { env: await modelEnvironment() })
    expect(ran, ran.stderr).toMatchObject({ status: 0 })
    expect(readFileSync(join(desk.workspace, 'agents/main/MEMORY.md'), 'utf8')).toContain('The heron is grey.')
  })

  it('has left the files it reported', () => {
    for (const path of ['b.keepsake', 'memory.keepsake', 'notes', 'copy', '.keepsake']) {
      expect(existsSync(join(desk.folder, path)), path).toBe(true)
    }
  })
})

/** The first match in what a running program prints. */
function firstMatch(child: ReturnType<Desk['start']>, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
      const match = pattern.exec(printed)
      if (match) resolve(match[0])
    })
    child.on('close', () => reject(new Error(`ended without ${pattern}: ${printed}`)))
  })
}
