/** `keepsake accept`: takes in removals by hand that were held back because they were so many at once. */
import type { EntryHead } from '../../model/entry.ts'
import type { Change } from '../../model/operation.ts'
import { DRY_RUN, insist, YES } from '../ask.ts'
import { changeJson } from '../change-json.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { labelOf } from '../entry-text.ts'
import type { Screen } from '../screen.ts'

const MOST_NAMED = 20
const MOST_NUMBERS = 5

export const accept: Command = {
  verb: 'accept',
  operands: [],
  about: [
    'When the files of very many entries are gone at once, that may be an accident, so they are kept for you to bring',
    'back. If it was meant, accept it: from then on they are removed. An undo still brings them back. On a terminal it',
    'asks first; a program says --yes.',
  ],
  options: [YES, DRY_RUN],
  examples: ['keepsake accept --dry-run', 'keepsake accept', 'keepsake accept --yes --json'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, screen } = context
  const { memory } = await context.open()
  const { heldBack } = await memory.absorb()
  if (heldBack.length === 0) return outcome({ accepted: 0, entries: [], changes: [] }, 'Nothing is held back.')
  const count = entriesText(heldBack.length)
  if (given.has('dry-run')) {
    const text = [`Would accept that ${count} removed:`, ...names(heldBack, screen), 'Nothing was changed.'].join('\n')
    return outcome({ accepted: 0, entries: heldBack, changes: [], dryRun: true }, text)
  }
  await insist(context, {
    question: `Accept that ${count} removed?`,
    would: `this would accept that ${count} removed`,
    spared: 'nothing was accepted',
    deed: 'accept it',
  })
  const { changes } = await memory.accept()
  return outcome(
    { accepted: heldBack.length, entries: heldBack, changes: changes.map(changeJson) },
    `Accepted that ${count} removed. To bring them back: keepsake undo ${choosing(changes)}`,
  )
}

/** Each file may be a change of its own, and a long list of numbers is no help. */
function choosing(changes: readonly Change[]): string {
  const [first] = changes
  if (!first || changes.length <= MOST_NUMBERS) return changes.map(({ number }) => number).join(' ')
  return `--by hand --since ${first.at}`
}

function outcome(json: object, text: string): Outcome {
  return { json, text, quietText: '', warnings: [] }
}

function entriesText(count: number): string {
  return count === 1 ? '1 entry is' : `${count} entries are`
}

function names(heads: readonly EntryHead[], screen: Screen): string[] {
  const more = heads.length - MOST_NAMED
  return [
    ...heads.slice(0, MOST_NAMED).map((head) => `  ${screen.plain(labelOf(head))}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}
