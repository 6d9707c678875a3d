/** `keepsake list`: what there is or was, a line each, in the order it came. */
import { parseCondition } from '../../model/condition.ts'
import { WORLD } from '../../model/entry.ts'
import { KIND_NAMES, parseKind } from '../../model/kinds.ts'
import { AS_OF, ofReading, openReading } from '../as-of.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { parseDates, SINCE, UNTIL } from '../date-options.ts'
import { entryJson, warningsJson } from '../entry-json.ts'
import { listText, quietRefs } from '../entry-text.ts'
import { WHERE } from '../search-options.ts'

export const list: Command = {
  verb: 'list',
  operands: [],
  about: [
    'Lists what the agent can see, in the order it came: when, what kind, its name or first words, its file; and the id',
    'of what has no name. With --quiet, prints only the names, or the ids of entries that no name refers to.',
  ],
  options: [
    {
      name: 'kind',
      value: 'KIND',
      many: true,
      about: `only this: ${KIND_NAMES.join(', ')}; may be given several times`,
    },
    SINCE,
    UNTIL,
    WHERE,
    AS_OF,
  ],
  examples: [
    'keepsake list',
    'keepsake list --kind note --kind fact',
    'keepsake list --since 2026-11-01 --until 2026-11-15',
    'keepsake list --kind fact --where category=user_profile',
    'keepsake list --as-of yesterday',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, screen } = context
  const kinds = given.all('kind').map((kind) => parseKind(kind))
  const where = given.all('where').map(parseCondition)
  const wanted = kinds.length === 0 ? {} : { kinds }
  const reading = await openReading(context)
  const { memory, root, zone } = reading
  const entries = await memory.list({ ...wanted, where, ...parseDates(given, { zone, nowMs: Date.now() }) })
  const problems = await memory.store.problems({ scopes: [WORLD, memory.agent], ...wanted })
  const warnings = problems.map(({ path, problem }) => `${path}: ${problem}`)
  const text = entries.length === 0 ? 'Nothing is there.' : listText(entries, { screen, root, zone })
  const outcome = {
    json: { entries: entries.map(entryJson), ...warningsJson(warnings) },
    text,
    quietText: await quietRefs(entries, memory, context),
    warnings,
  }
  return ofReading(outcome, reading)
}
