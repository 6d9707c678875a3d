/** `keepsake blame`: which change brought each line of an entry. */
import type { Blame } from '../../history/blame.ts'
import { whoText } from '../change-text.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { columnWidth, padToWidth } from '../display-width.ts'
import { entryJson } from '../entry-json.ts'
import { timeText } from '../entry-text.ts'
import type { Screen } from '../screen.ts'

export const blame: Command = {
  verb: 'blame',
  operands: [{ name: 'REF' }],
  about: [
    'Shows an entry line by line, each with the number of the change that brought it, when, and by whom. What an undo',
    'restored belongs to whom it belonged to before. Lines that are older than the history have no number.',
  ],
  options: [],
  examples: ['keepsake blame MEMORY', 'keepsake blame deploys --json'],
  run,
}

async function run({ given, screen, open }: Context): Promise<Outcome> {
  const { memory } = await open()
  const { timezone: zone } = await memory.store.settings()
  const { entry, lines } = await memory.blame(given.operand(0))
  const text = lines.length === 0 ? screen.dim('(empty)') : blameText(lines, screen, zone)
  return {
    json: { entry: entryJson(entry), lines: lines.map(lineJson) },
    text,
    quietText: lines.length === 0 ? '' : text,
    warnings: [],
  }
}

function blameText(lines: Blame['lines'], screen: Screen, zone: string): string {
  const rows = lines.map(({ text, change }) => ({
    text,
    number: change === undefined ? '' : String(change.number),
    when: change === undefined ? '' : timeText(change.at, zone),
    who: change === undefined ? 'older' : screen.line(whoText(change)),
  }))
  const widest = (column: 'number' | 'when' | 'who'): number => columnWidth(rows.map((row) => row[column]))
  const [numbers, whens, whos] = [widest('number'), widest('when'), widest('who')]
  return rows
    .map(({ text, number, when, who }) => {
      const head = `${number.padStart(numbers)}  ${when.padEnd(whens)}  ${padToWidth(whos, who)}`
      return `${screen.dim(head)}  ${screen.plain(text)}`.trimEnd()
    })
    .join('\n')
}

function lineJson({ text, change }: Blame['lines'][number]): object {
  if (change === undefined) return { line: text }
  return { line: text, change: change.number, at: change.at, origin: change.origin }
}
