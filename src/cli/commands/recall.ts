/** `keepsake recall`: what is known about something; without a query, the text that an agent begins its work with. */
import { AS_OF, ofReading, openReading, type Reading } from '../as-of.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { quietRefs } from '../entry-text.ts'
import { foundJson, whyNotJson } from '../found-json.ts'
import { hitsText, titleOf } from '../hits-text.ts'
import { refuseDays, refuseSearchOptions, SEARCH_OPTIONS, searchOptions } from '../search-options.ts'
import { textOperand } from '../text-operand.ts'

export const recall: Command = {
  verb: 'recall',
  operands: [{ name: 'QUERY', optional: true, many: true }],
  about: [
    'With QUERY: the entries that its words bring up, the best first. Quotes hold words together, * stands for any ending,',
    '- before a word leaves out what has it: \'"smoke tests" deploy* -staging\'. An entry of exactly that name comes first.',
    '--mode hybrid finds by meaning too. With --quiet only names, or the ids of what has none.',
    '',
    'Without QUERY: what the agent should know before it begins: the topics of the world, its own MEMORY.md, and the last',
    'days of its log. What does not fit the budget is left out, the oldest first, and the text says so.',
  ],
  options: [
    ...SEARCH_OPTIONS,
    {
      name: 'days',
      value: 'N',
      about: 'without QUERY: calendar days of the log, today included; default 3, 0 for none',
    },
    {
      name: 'budget',
      value: 'TOKENS',
      about: 'about how long the text may be, cut at whole entries; default 8000 without QUERY, none with it',
    },
    AS_OF,
  ],
  examples: [
    'keepsake recall when do we deploy',
    'keepsake recall \'"smoke tests" deploy*\' --kind note --since "last week"',
    'keepsake recall "what name should I use?" --mode hybrid',
    'keepsake recall "when do we deploy" --explain',
    'keepsake recall "when do we deploy" --why-not "Release checklist"',
    'keepsake recall --days 7 --budget 2000',
    'keepsake recall --as-of yesterday',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { operands } = context.given
  if (operands.length === 0) return begin(context)
  refuseDays(context.given)
  const query = operands.length === 1 ? await textOperand(operands[0] ?? '') : operands.join(' ')
  const reading = await openReading(context)
  return ofReading(
    context.given.has('why-not') ? await whyNot(context, reading, query) : await search(context, reading, query),
    reading,
  )
}

async function begin(context: Context): Promise<Outcome> {
  const { given, screen } = context
  refuseSearchOptions(given)
  const [days, budgetTokens] = [given.number('days'), given.number('budget')]
  const reading = await openReading(context)
  const { text, warnings } = await reading.memory.recall({
    ...(days === undefined ? {} : { days }),
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
  })
  const shown = screen.plain(text)
  return ofReading({ json: { text, ...warningsJson(warnings) }, text: shown, quietText: shown, warnings }, reading)
}

async function search(context: Context, reading: Reading, query: string): Promise<Outcome> {
  const { given, screen } = context
  const { memory, root, zone } = reading
  const found = await memory.search(query, searchOptions(given, { zone, nowMs: Date.now() }))
  const place = { screen, root, zone }
  const outcome = {
    json: foundJson(found),
    quietText: await quietRefs(
      found.hits.map(({ entry }) => entry),
      memory,
      context,
    ),
    warnings: found.warnings,
  }
  if (!given.has('explain')) return { ...outcome, text: hitsText(found, place) }
  const { explainText, searchText } = await import('../explain-text.ts')
  const hits = hitsText(found, place, ({ why }) => (why ? explainText(why, screen) : []))
  // An empty answer has said it already.
  const text = found.hits.length === 0 ? hits : `${hits}\n\n${searchText(found.searched, zone, screen)}`
  return { ...outcome, text }
}

async function whyNot({ given, screen }: Context, reading: Reading, query: string): Promise<Outcome> {
  const { memory, root, zone } = reading
  const options = searchOptions(given, { zone, nowMs: Date.now() })
  const answer = await memory.whyNot(query, given.one('why-not') ?? '', options)
  const instead = answer.instead === undefined ? undefined : await memory.get(answer.instead)
  const { whyNotText } = await import('../why-not-text.ts')
  const text = whyNotText(answer, instead && titleOf(instead, screen), { screen, root, zone })
  return { json: whyNotJson(answer), text, quietText: text, warnings: answer.warnings }
}
