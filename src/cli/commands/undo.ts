/** `keepsake undo`: takes changes back, and says how to bring them back. */
import { InvalidError } from '../../errors.ts'
import type { UndoRequest } from '../../history/undo.ts'
import type { Undone } from '../../memory.ts'
import type { Entry } from '../../model/entry.ts'
import { type Arguments, usageError } from '../arguments.ts'
import { DRY_RUN } from '../ask.ts'
import { changeJson } from '../change-json.ts'
import { CHANGE_OPTIONS, changeFilter, flagsGiven } from '../change-options.ts'
import type { Command, Context, Outcome } from '../command.ts'
import type { Present } from '../date-options.ts'
import { entryJson, warningsJson } from '../entry-json.ts'
import { heldBackWarnings } from '../held-back.ts'
import { reversals, undoneText, withCommandHint } from '../undone-text.ts'

export const undo: Command = {
  verb: 'undo',
  operands: [{ name: 'CHANGE', optional: true, many: true }],
  about: [
    'Takes changes back: those whose numbers are given, as "keepsake log" shows them; or all that the options choose; or',
    'else the newest that is neither undone yet nor an external edit. An undo is itself a change: undo it to redo what it',
    'reverted. If later changes of the same entry build on a change, nothing is undone, and the later ones are listed. A',
    "purge can't be undone: if it is the newest change, nothing is undone.",
  ],
  options: [
    { name: 'last', value: 'N', about: 'the newest N that are not undone yet' },
    ...CHANGE_OPTIONS,
    { name: 'with-later', about: 'take back later changes of the same entries, too' },
    DRY_RUN,
  ],
  examples: [
    'keepsake undo',
    'keepsake undo 12 14 --with-later',
    'keepsake undo --by agent --session s1 --since today --dry-run',
  ],
  run,
}

async function run({ given, screen, open }: Context): Promise<Outcome> {
  const numbers = given.operands.map(parseNumber)
  if (numbers.length > 0) refuseFilters(given)
  const { memory } = await open()
  const { timezone: zone } = await memory.store.settings()
  const dryRun = given.has('dry-run')
  const request = requestOf(given, numbers, { zone, nowMs: Date.now() })
  const heldBack = await heldBackWarnings(memory)
  const done = await memory.undo({ ...request, dryRun }).catch((error: unknown) => {
    throw withCommandHint(error)
  })
  const undone = { ...done, warnings: [...heldBack, ...done.warnings] }
  return {
    json: undoneJson(undone, dryRun),
    text: undoneText(undone, { screen, zone, dryRun }),
    quietText: '',
    warnings: undone.warnings,
  }
}

function requestOf(given: Arguments, numbers: readonly number[], present: Present): UndoRequest {
  const last = given.number('last')
  return {
    ...changeFilter(given, present),
    ...(numbers.length === 0 ? {} : { changes: numbers }),
    ...(last === undefined ? {} : { last }),
    ...(given.has('with-later') ? { withLater: true } : {}),
  }
}

function parseNumber(operand: string): number {
  if (/^\d{1,15}$/.test(operand)) return Number(operand)
  throw new InvalidError('change', `"${operand}" is not the number of a change`, 'a number that "keepsake log" shows')
}

function refuseFilters(given: Arguments): void {
  const [flag] = flagsGiven(given, ['last', ...CHANGE_OPTIONS.map(({ name }) => name)])
  if (flag !== undefined) throw usageError(`the number of a change and ${flag} contradict each other`, 'Choose one.')
}

function undoneJson({ change, undone, entries, warnings }: Undone, dryRun: boolean): object {
  return {
    ...(change === undefined ? {} : { change: changeJson(change) }),
    undone: undone.map((logged) => logged.change.number),
    entries: (dryRun ? wouldBe(undone) : entries).map(entryJson),
    ...(dryRun ? { dryRun } : {}),
    ...warningsJson(warnings),
  }
}

/** As the undo would leave them; what it would remove as it is. */
function wouldBe(undone: Undone['undone']): readonly Entry[] {
  return reversals(undone).flatMap(({ before, after }) => after ?? before ?? [])
}
