/** `keepsake list`: what there is, a line each, in the order it came. */
import { WORLD } from '../../model/entry.ts'
import { KIND_NAMES, parseKind } from '../../model/kinds.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { parseDates } from '../date-options.ts'
import { entryJson, warningsJson } from '../entry-json.ts'
import { listText } from '../entry-text.ts'

export const list: Command = {
  verb: 'list',
  operands: [],
  about: [
    'Lists what the agent can see, in the order it came: when, what kind, its name or first words, its file; and the id',
    'of what has no name.',
  ],
  options: [
    {
      name: 'kind',
      value: 'KIND',
      many: true,
      about: `only this: ${KIND_NAMES.join(', ')}; may be given several times`,
    },
    { name: 'since', value: 'DATE', about: 'from this day or time on: 2026-11-15, 2026-11-15T14:00:00Z' },
    { name: 'until', value: 'DATE', about: 'up to the end of this day, or up to this time' },
  ],
  examples: [
    'keepsake list',
    'keepsake list --kind note --kind fact',
    'keepsake list --since 2026-11-01 --until 2026-11-15',
  ],
  run,
}

async function run({ given, screen, open }: Context): Promise<Outcome> {
  const kinds = given.all('kind').map((kind) => parseKind(kind))
  const wanted = kinds.length === 0 ? {} : { kinds }
  const { memory, root } = await open()
  const { timezone: zone } = await memory.store.settings()
  const entries = await memory.list({ ...wanted, ...parseDates(given, zone) })
  const problems = await memory.store.problems({ scopes: [WORLD, memory.agent], ...wanted })
  const warnings = problems.map(({ path, problem }) => `${path}: ${problem}`)
  const text = entries.length === 0 ? 'Nothing is there.' : listText(entries, { screen, root, zone })
  return {
    json: { entries: entries.map(entryJson), ...warningsJson(warnings) },
    text,
    quietText: entries.length === 0 ? '' : text,
    warnings,
  }
}
