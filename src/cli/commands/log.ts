/** `keepsake log`: what was changed, newest first; one change with its texts when its number is given. */
import { UnknownChangeError } from '../../errors.ts'
import type { VisibleChange } from '../../history/log.ts'
import type { Memory } from '../../memory.ts'
import { wholeNumber } from '../../model/number.ts'
import { type Arguments, usageError } from '../arguments.ts'
import { loggedJson } from '../change-json.ts'
import { CHANGE_OPTIONS, changeFilter, flagsGiven } from '../change-options.ts'
import { logText } from '../change-text.ts'
import type { Command, Context, Outcome } from '../command.ts'
import type { Present } from '../date-options.ts'
import { warningsJson } from '../entry-json.ts'
import { heldBackWarnings } from '../held-back.ts'
import { noMemoryText } from '../no-memory-text.ts'
import { withCommandHint } from '../undone-text.ts'

const DEFAULT_LIMIT = 20
/** As many as the memory tells. */
const MOST = 1_000_000

export const log: Command = {
  verb: 'log',
  operands: [{ name: 'REF', optional: true }],
  about: [
    'Lists what was changed in what the agent can see, newest first: number, when, who, what. Edits by hand are in it,',
    'too. With REF only changes of that entry, also of one that is gone; with the number of a change only that one, and',
    'what became of the texts. (An entry whose name is a number is asked for by its id.)',
    '"keepsake undo" takes a change back.',
  ],
  options: [
    { name: 'limit', value: 'N', about: `how many; default ${DEFAULT_LIMIT}` },
    ...CHANGE_OPTIONS,
    { name: 'diff', about: 'show what became of the texts, line by line' },
  ],
  examples: [
    'keepsake log',
    'keepsake log deploys --diff',
    'keepsake log 12',
    'keepsake log --by hand --since yesterday',
  ],
  run,
}

async function run({ given, screen, open }: Context): Promise<Outcome> {
  const [ref] = given.operands
  const number = ref !== undefined && /^\d{1,15}$/.test(ref) ? Number(ref) : undefined
  if (number !== undefined) refuseFilters(given, number)
  const opened = await open()
  const { memory } = opened
  const { timezone: zone } = await memory.store.settings()
  const warnings = await heldBackWarnings(memory)
  const { changes, more } =
    number === undefined
      ? await newest(memory, given, { zone, nowMs: Date.now() })
      : { changes: [await changeOf(memory, number)], more: false }
  const diffs = number !== undefined || given.has('diff')
  const text =
    changes.length === 0
      ? (noMemoryText(opened, screen) ?? 'There is no such change.')
      : logText(changes, screen, zone, diffs)
  return {
    json: { changes: changes.map((logged) => loggedJson(logged, diffs)), ...warningsJson(warnings) },
    text: more ? `${text}\n${screen.dim('There are older ones: ask for more with --limit.')}` : text,
    quietText: changes.length === 0 ? '' : text,
    warnings,
  }
}

interface Newest {
  readonly changes: readonly VisibleChange[]
  /** There are older ones. */
  readonly more: boolean
}

async function newest(memory: Memory, given: Arguments, present: Present): Promise<Newest> {
  const limit = wholeNumber(given.number('limit') ?? DEFAULT_LIMIT, 'limit', 1, MOST - 1)
  const [ref] = given.operands
  const query = { ...changeFilter(given, present), ...(ref === undefined ? {} : { ref }) }
  const changes = await memory.log({ ...query, limit: limit + 1 })
  return { changes: changes.slice(0, limit), more: changes.length > limit }
}

async function changeOf(memory: Memory, number: number): Promise<VisibleChange> {
  const [found] = await memory.log({ before: number + 1, limit: 1 })
  if (found?.change.number !== number) throw withCommandHint(new UnknownChangeError(`there is no change ${number}`))
  return found
}

function refuseFilters(given: Arguments, number: number): void {
  const [flag] = flagsGiven(given, ['limit', ...CHANGE_OPTIONS.map(({ name }) => name)])
  if (flag !== undefined)
    throw usageError(`change ${number} is one; ${flag} chooses among many`, 'Leave one of them out.')
}
