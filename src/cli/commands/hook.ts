/**
 * `keepsake hook`: what an agent program calls by itself while it works. It ends with 0 and prints one JSON object, whatever
 * happens: a status of 2 would make a client throw the person's prompt away.
 */
import { PRESET_NAMES } from '../../model/preset.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { answerTo, failure, type HookAnswer } from '../hook/answer.ts'
import { parseEvent } from '../hook/event.ts'
import { HOOK_CLIENTS } from '../hook/hook-clients.ts'
import { readInput } from '../hook/read-input.ts'

export const hook: Command = {
  verb: 'hook',
  operands: [{ name: HOOK_CLIENTS.join('|') }],
  about: [
    'For agent programs, which call it at certain moments; "keepsake install CLIENT --hooks" sets that up. It reads one',
    'event as JSON from standard input and prints one JSON object: when a session starts, what a model should know; for a',
    'prompt, what is found for it by its words, and by its meaning while "keepsake mcp" runs beside it. When a session is',
    'compacted or ends, its transcript is saved; one that has ended is condensed too, where agent.yaml names a model. It',
    'always ends with status 0 and never holds the program up. More: docs/hooks.md.',
  ],
  options: [{ name: 'tools', value: PRESET_NAMES.join('|'), about: 'as if agent.yaml said so' }],
  examples: [
    `echo '{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"which database?"}' | keepsake hook claude`,
  ],
  run: async (context: Context) => outcomeOf(await answerTo(await readInput(process.stdin), context)),
  failed: async (error: unknown) => outcomeOf(failure(error, parseEvent(await readInput(process.stdin)))),
}

function outcomeOf(answer: HookAnswer): Outcome {
  const text = JSON.stringify(answer)
  return { json: answer, text, quietText: text, warnings: [], mayBeLost: true }
}
