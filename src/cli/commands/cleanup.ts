/** `keepsake cleanup`: removes what has expired, and tells of what nobody can say whether it has. */
import type { EntryHead } from '../../model/entry.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { labelOf, timeText } from '../entry-text.ts'

const MOST_NAMED = 20

export const cleanup: Command = {
  verb: 'cleanup',
  operands: [],
  about: [
    'Removes the entries of the agent that have expired: conversations after 30 days, context at the end of its day, and',
    'what was given a --ttl. Nothing shows them any more as it is; this makes room. "keepsake mcp" does it by itself,',
    'every cleanup_interval seconds. What says when it ends, but not as a time, is kept and told.',
  ],
  options: [],
  examples: ['keepsake cleanup', 'keepsake cleanup --json'],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { memory } = await context.open()
  const { deleted, entries, unreadable, warnings } = await memory.cleanup()
  const { timezone: zone } = await memory.store.settings()
  const lines = entries.slice(0, MOST_NAMED).map((head) => `  ${context.screen.plain(lineOf(head, zone))}`)
  const more = deleted > MOST_NAMED ? [`  and ${deleted - MOST_NAMED} more`] : []
  const done = deleted === 0 ? 'Nothing has expired.' : `Removed ${deleted === 1 ? '1 entry' : `${deleted} entries`}:`
  return {
    json: { deleted, entries: entries.map(headJson), unreadable: unreadable.map(placeJson), ...warningsJson(warnings) },
    text: [done, ...lines, ...more].join('\n'),
    quietText: '',
    warnings: [...warnings, ...unreadable.map(({ path, problem }) => `${path}: ${problem}`)],
  }
}

function lineOf(head: EntryHead, zone: string): string {
  return `${labelOf(head)}, expired ${timeText(head.expiresAt ?? '', zone)}`
}

function headJson({ id, kind, name, key, createdAt, expiresAt, path }: EntryHead): object {
  return {
    id,
    kind,
    name,
    ...(key === undefined ? {} : { key }),
    createdAt,
    expiresAt,
    ...(path === undefined ? {} : { path }),
  }
}

function placeJson({ path, problem }: { readonly path: string; readonly problem: string }): object {
  return { path, problem }
}
