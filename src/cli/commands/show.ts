/** `keepsake show`: one entry, whole; now, or as it was. */
import { AS_OF, ofReading, openReading } from '../as-of.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { readOutcome } from '../outcomes.ts'

export const show: Command = {
  verb: 'show',
  operands: [{ name: 'REF' }],
  about: [
    'Shows an entry: by its name, an alias, or the id that "keepsake list" shows. Another spelling will do where only',
    'one entry can be meant. With --quiet, prints only its text; invisible characters and terminal controls are shown as',
    '<U+001B>. With --raw, prints the text byte for byte, for files and programs.',
  ],
  options: [{ name: 'raw', about: 'print only its text, byte for byte; on a terminal, the same as --quiet' }, AS_OF],
  examples: [
    'keepsake show deploys',
    'keepsake show MEMORY --as-of yesterday',
    'keepsake show deploys --raw > deploys.md',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const reading = await openReading(context)
  const entry = await reading.memory.find(context.given.operand(0))
  const outcome = await readOutcome(context, entry)
  return ofReading(context.given.has('raw') ? { ...outcome, rawText: entry.content } : outcome, reading)
}
