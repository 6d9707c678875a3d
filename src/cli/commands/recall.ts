/** `keepsake recall`: the text that an agent begins its work with. */
import { KeepsakeError } from '../../errors.ts'
import { AS_OF, ofReading, openReading } from '../as-of.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'

export const recall: Command = {
  verb: 'recall',
  operands: [{ name: 'QUERY', optional: true }],
  about: [
    'Prints what the agent should know before it begins: the topics of the world, its own MEMORY.md, and the last',
    'days of its log. What does not fit the budget is left out, the oldest first, and the text says so.',
    'Search by QUERY comes with a later version.',
  ],
  options: [
    { name: 'days', value: 'N', about: 'calendar days of the log, today included; default 3, 0 for none' },
    { name: 'budget', value: 'TOKENS', about: 'about how long the text may be; default 8000' },
    AS_OF,
  ],
  examples: ['keepsake recall', 'keepsake recall --days 7 --budget 2000', 'keepsake recall --as-of yesterday'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, screen } = context
  const [days, budgetTokens] = [given.number('days'), given.number('budget')]
  if (given.operands.length > 0) {
    throw new KeepsakeError('UNSUPPORTED', 'recall with a query: search comes with a later version', {
      hint: 'Without a query it prints what there is; "keepsake list" and "keepsake show" find entries by name.',
    })
  }
  const reading = await openReading(context)
  const { text, warnings } = await reading.memory.recall({
    ...(days === undefined ? {} : { days }),
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
  })
  const shown = screen.plain(text)
  return ofReading({ json: { text, ...warningsJson(warnings) }, text: shown, quietText: shown, warnings }, reading)
}
