/** `keepsake session show`: what counts of a session, or with `--all` every turn and marker that its transcript has. */
import type { Command, Context, Outcome } from '../../command.ts'
import { warningsJson } from '../../entry-json.ts'
import { requireSession } from '../../known-session.ts'
import { brokenWarnings, transcriptText, viewText } from '../../session-text.ts'

export const show: Command = {
  verb: 'session show',
  operands: [{ name: 'SESSION' }],
  about: [
    'Shows what counts of a session: what stands for the turns that were compacted, then the turns since. With --all every',
    'turn from the beginning, and where the markers are. Lines that can not be read are told and left as they are.',
  ],
  options: [{ name: 'all', about: 'the whole transcript, from its beginning' }],
  examples: ['keepsake session show chat-1', 'keepsake session show chat-1 --all'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, screen, open } = context
  const key = given.operand(0)
  const { memory, root } = await open()
  const { timezone: zone } = await memory.store.settings()
  const session = memory.session(key)
  if (given.has('all')) {
    const transcript = await session.transcript()
    if (transcript.createdAt === null) await requireSession(memory, key, root)
    const warnings = brokenWarnings(`session "${key}"`, transcript.broken)
    return {
      json: { session: { key, ...transcript }, ...warningsJson(warnings) },
      ...transcriptText(key, transcript, { screen, zone }),
      warnings,
    }
  }
  const view = await session.view()
  if (view.createdAt === null) await requireSession(memory, key, root)
  const warnings = brokenWarnings(`session "${key}"`, view.broken)
  return { json: { session: view, ...warningsJson(warnings) }, ...viewText(view, { screen, zone }), warnings }
}
