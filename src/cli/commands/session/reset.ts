/** `keepsake session reset`: begins a session anew without an archive. */
import type { Command, Context, Outcome } from '../../command.ts'
import { warningsJson } from '../../entry-json.ts'
import { rowsText } from '../../entry-text.ts'
import { requireSession } from '../../known-session.ts'
import { markerText } from '../../session-text.ts'

export const reset: Command = {
  verb: 'session reset',
  operands: [{ name: 'SESSION' }],
  about: [
    'Sets a marker behind the last turn: the session counts from there, and nothing stands for what was before. The turns',
    'stay in the transcript. To keep what they say, use "keepsake session compact" instead.',
  ],
  options: [],
  examples: ['keepsake session reset chat-1'],
  run,
}

async function run({ given, screen, open }: Context): Promise<Outcome> {
  const key = given.operand(0)
  const { memory, root } = await open()
  const { timezone: zone } = await memory.store.settings()
  const { reset: wasReset, marker, warnings } = await memory.session(key).reset()
  if (!wasReset) await requireSession(memory, key, root)
  const done = wasReset ? `Session "${key}" begins anew` : `Nothing to do: session "${key}" has no turns that count`
  return {
    json: {
      key,
      reset: wasReset,
      ...(marker === undefined ? {} : { marker }),
      ...warningsJson(warnings),
    },
    text: [screen.line(done), ...rowsText([['marker', marker && markerText(marker, zone)]], screen)].join('\n'),
    quietText: '',
    warnings,
  }
}
