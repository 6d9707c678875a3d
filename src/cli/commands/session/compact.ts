/** `keepsake session compact`: a summary in the place of the turns so far. */
import { wholeNumber } from '../../../model/number.ts'
import { usageError } from '../../arguments.ts'
import { changeJson } from '../../change-json.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { entryJson, warningsJson } from '../../entry-json.ts'
import { rowsText } from '../../entry-text.ts'
import { requireSession } from '../../known-session.ts'
import { markerText, turnsPhrase } from '../../session-text.ts'
import { textOperand } from '../../text-operand.ts'

const MOST = 1_000_000

export const compact: Command = {
  verb: 'session compact',
  operands: [{ name: 'SESSION' }],
  about: [
    'Writes the summary as an archive, an entry that recall finds, and sets a marker: from then on the session counts from',
    'there, with the archive first. The turns stay in the transcript; "keepsake undo" brings them back.',
  ],
  options: [
    { name: 'summary', value: 'TEXT', about: 'what stands for the turns; "-" is read from standard input; needed' },
    { name: 'keep', value: 'N', about: 'leave the last N exchanges as they are; default 0' },
  ],
  examples: [
    'keepsake session compact chat-1 --summary "Moved to Postgres 17."',
    'cat summary.md | keepsake session compact chat-1 --summary - --keep 2',
  ],
  run,
}

async function run({ given, screen, open }: Context): Promise<Outcome> {
  const key = given.operand(0)
  const asked = given.one('summary')
  if (asked === undefined) throw usageError('session compact needs --summary', 'Give it as: --summary TEXT')
  const keep = wholeNumber(given.number('keep') ?? 0, 'keep', 0, MOST)
  const summary = await textOperand(asked)
  const { memory, root } = await open()
  const { timezone: zone } = await memory.store.settings()
  const compaction = await memory.session(key).compact({ summary, keep })
  const { compacted, why, archive, marker, change, slid, warnings } = compaction
  if (!compacted) await requireSession(memory, key, root)
  const rows = rowsText(
    [
      ['archive', archive && `${archive.name ?? archive.id}`],
      ['file', archive?.path === undefined ? undefined : screen.path(root, archive.path)],
      ['marker', marker && markerText(marker, zone)],
      ['slid out', slid?.length ? `${turnsPhrase(slid.length)}, remembered as conversation` : undefined],
      ['change', change && String(change.number)],
    ],
    screen,
  )
  const done = compacted
    ? `Compacted ${turnsPhrase(marker?.turns ?? 0)} of session "${key}"`
    : `Nothing was done to session "${key}": ${why ?? 'nothing to compact'}`
  return {
    json: {
      key,
      compacted,
      ...(why === undefined ? {} : { why }),
      ...(archive === undefined ? {} : { archive: entryJson(archive) }),
      ...(marker === undefined ? {} : { marker }),
      ...(change === undefined ? {} : { change: changeJson(change) }),
      ...warningsJson(warnings),
    },
    text: [screen.line(done), ...rows].join('\n'),
    quietText: '',
    warnings,
  }
}
