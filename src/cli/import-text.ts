/** What an import did or would do, as people and programs read it: a count of each fate, and what was not taken as it stands. */

import type { Deed, SettledCandidate } from '../import/settle.ts'
import { isLogged } from '../model/operation.ts'
import { changeJson } from './change-json.ts'
import type { Outcome } from './command.ts'
import { counted } from './counted.ts'
import { warningsJson } from './entry-json.ts'
import { rowsText } from './entry-text.ts'
import type { Imported } from './import-into.ts'
import type { Screen } from './screen.ts'

export interface ImportFacts {
  readonly format: string
  /** As its makers write it. */
  readonly program: string
  /** As the person named it, or the usual place. */
  readonly from: string
  readonly dryRun: boolean
}

/** More are counted, not told. */
const MOST_TOLD = 20

export function importOutcome(imported: Imported, facts: ImportFacts, screen: Screen): Outcome {
  const { settled, problems, change } = imported
  const of = (deed: Deed): readonly SettledCandidate[] => settled.items.filter((item) => item.deed === deed)
  const renamed = settled.items.filter(({ renamedTo }) => renamedTo !== undefined)
  const skipped = problems.filter(({ taken }) => !taken).length
  const kept = of('kept')
  const warnings = [
    ...limited(problems.map(({ source, problem, taken }) => `${source}: ${problem}${taken ? '' : '; it was skipped'}`)),
    ...limited(renamed.map(renamedText)),
    ...limited(kept.map(({ candidate }) => `${candidate.source}: it was changed here since, and stays as it is`)),
    ...imported.warnings,
  ]
  const known = of('known').length
  const rows = rowsText(
    [
      ['new', kindsText(of('new'))],
      ['renamed', renamed.length === 0 ? undefined : `${renamed.length} of them: their names belong to other texts`],
      ['updated', kindsText(of('updated'))],
      ['known', known === 0 ? undefined : `${known}, here already`],
      ['kept', kept.length === 0 ? undefined : `${kept.length}, changed here since`],
      ['skipped', skipped === 0 ? undefined : String(skipped)],
      ['from', `${facts.program}, ${facts.from}`],
      ['change', isLogged(change) ? String(change.number) : undefined],
    ],
    screen,
  )
  return {
    json: {
      format: facts.format,
      from: facts.from,
      dryRun: facts.dryRun,
      new: of('new').length,
      updated: of('updated').length,
      known,
      kept: kept.length,
      renamed: renamed.map(({ candidate, renamedTo }) => ({ name: candidate.name, as: renamedTo })),
      skipped,
      problems: problems.map(({ source, problem }) => ({ source, problem })),
      ...(change === undefined ? {} : { change: changeJson(change) }),
      ...warningsJson(warnings),
    },
    text: [doneText(imported, facts), ...rows].join('\n'),
    quietText: '',
    warnings,
  }
}

function doneText({ settled, change }: Imported, { dryRun }: ImportFacts): string {
  if (settled.operations.length === 0) return 'Nothing to import: all that could be read is here already'
  if (dryRun) return 'Dry run, nothing was written. An import would do this:'
  if (change === undefined) return 'Nothing was changed'
  return !isLogged(change) ? 'Imported' : `Imported; to take it back: keepsake undo ${change.number}`
}

/** `3 notes, 1 fact`. */
function kindsText(items: readonly SettledCandidate[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { candidate } of items) counts.set(candidate.kind, (counts.get(candidate.kind) ?? 0) + 1)
  const parts = [...counts].map(([kind, count]) => (kind === 'memory' ? 'MEMORY.md' : counted(count, kind, `${kind}s`)))
  return parts.length === 0 ? undefined : parts.join(', ')
}

function renamedText({ candidate, renamedTo }: SettledCandidate): string {
  return `"${candidate.name}" belongs to another text here; ${candidate.source} is called "${renamedTo}"`
}

function limited(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - MOST_TOLD
  return more > 0 ? [...sentences.slice(0, MOST_TOLD), `and ${more} more of this sort`] : sentences
}
