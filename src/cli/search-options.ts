/** What `recall` is asked for besides words: the options of a search, and which go with a query and which without. */
import { InvalidError } from '../errors.ts'
import { parseCondition } from '../model/condition.ts'
import { KIND_NAMES, parseKind } from '../model/kinds.ts'
import type { SearchMode, SearchOptions } from '../recall/found.ts'
import { SEARCH_MODES } from '../recall/search-modes.ts'
import { type Arguments, usageError } from './arguments.ts'
import type { Option } from './command.ts'
import { type Present, parseDates, SINCE, UNTIL } from './date-options.ts'

export const WHERE: Option = {
  name: 'where',
  value: 'CONDITION',
  many: true,
  about: 'only with this metadata: priority=3, tags=deploy, also != > >= < <=; all that are given must hold',
}

/** These need a query. */
export const SEARCH_OPTIONS: readonly Option[] = [
  { name: 'limit', value: 'N', about: 'how many hits, 1 to 100; default 5' },
  {
    name: 'kind',
    value: 'KIND',
    many: true,
    about: `only this: ${KIND_NAMES.join(', ')}; may be given several times; default all but identity`,
  },
  SINCE,
  UNTIL,
  WHERE,
  { name: 'min-score', value: 'S', about: 'only hits that score so much, 0 to 1; default 0.3 with --mode semantic' },
  {
    name: 'mode',
    value: SEARCH_MODES.join('|'),
    about: 'by words, by meaning, or by both; default: both where a server of this workspace runs, else by words',
  },
  { name: 'explain', about: 'every part of each score, and how the query was understood' },
  { name: 'why-not', value: 'REF', about: 'why this entry is not among the hits, and what would bring it in' },
]

export function refuseSearchOptions(given: Arguments): void {
  const option = SEARCH_OPTIONS.find(({ name }) => given.has(name))
  if (option) {
    throw usageError(
      `--${option.name} needs a QUERY`,
      'Search like this: keepsake recall "when do we deploy" --explain',
    )
  }
}

export function refuseDays(given: Arguments): void {
  if (given.has('days')) {
    throw usageError(
      '--days is for recall without a QUERY',
      'A search looks at all days; narrow it like this: --since "3 days ago"',
    )
  }
}

export function searchOptions(given: Arguments, present: Present): SearchOptions {
  const [limit, budgetTokens, mode] = [given.number('limit'), given.number('budget'), given.one('mode')]
  const [kinds, where] = [given.all('kind').map(parseKind), given.all('where').map(parseCondition)]
  const minScore = parseScore(given.one('min-score'))
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...parseDates(given, present),
    ...(where.length === 0 ? {} : { where }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
    ...(mode === undefined ? {} : { mode: mode as SearchMode }), // the search refuses what is none
    ...(given.has('explain') ? { explain: true } : {}),
  }
}

function parseScore(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const score = /^[\d.]+$/.test(text) ? Number(text) : Number.NaN
  if (score >= 0 && score <= 1) return score
  throw new InvalidError('min-score', `"${text}" is not allowed`, 'a number from 0 to 1, such as 0.3')
}
