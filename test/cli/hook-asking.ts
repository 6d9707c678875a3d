/** Asks `keepsake hook` in this process, as a client would. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, vi } from 'vitest'
import { parseArguments } from '../../src/cli/arguments.ts'
import { hook } from '../../src/cli/commands/hook.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/global-options.ts'
import { answerTo, type HookAnswer } from '../../src/cli/hook/answer.ts'
import { TRANSCRIPTS } from './hook-samples.ts'
import type { Desk } from './keepsake.ts'

const OURS = ['KEEPSAKE_WORKSPACE', 'KEEPSAKE_AGENT', 'KEEPSAKE_CONFIG']
const OF_CLIENTS = ['CLAUDE_PROJECT_DIR', 'GEMINI_PROJECT_DIR']

/** To be called once by a file of tests: whoever runs them may work in such a client. */
export function withCleanEnvironment(): void {
  beforeEach(() => {
    for (const name of [...OURS, ...OF_CLIENTS]) vi.stubEnv(name, '')
  })
  afterEach(() => vi.unstubAllEnvs())
}

export function ask(desk: Desk, event: unknown, args: readonly string[] = ['claude']): Promise<HookAnswer> {
  vi.stubEnv('HOME', join(desk.folder, 'home'))
  const given = parseArguments(args, [...hook.options, ...GLOBAL_OPTIONS])
  const asked = { workspace: given.one('workspace'), agent: given.one('agent'), cwd: desk.folder }
  return answerTo(typeof event === 'string' ? event : JSON.stringify(event), { given, asked })
}

export function context({ hookSpecificOutput }: HookAnswer): string {
  return hookSpecificOutput?.additionalContext ?? ''
}

export function transcriptAt(desk: Desk): (client: string) => string {
  return (client) => {
    const path = join(desk.folder, `${client}.jsonl`)
    writeFileSync(path, TRANSCRIPTS[client] ?? '')
    return path
  }
}

export function saving(path: string): Readonly<Record<string, unknown>> {
  return { hook_event_name: 'SessionEnd', session_id: 's', transcript_path: path }
}
