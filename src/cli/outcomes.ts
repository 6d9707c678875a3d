/** The outcomes that several commands share: an entry that was written, an entry that was read. */

import type { Written } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import { isLogged } from '../model/operation.ts'
import type { Context, Outcome } from './command.ts'
import { entryJson, writtenJson } from './entry-json.ts'
import { entryText, labelOf, rowsText } from './entry-text.ts'

/** `done` says what was done, in a sentence; where nothing was, the outcome says that instead. */
export async function writtenOutcome(context: Context, written: Written, done: string): Promise<Outcome> {
  const { root } = await context.open()
  const { screen } = context
  const { entry, change, replaced, warnings } = written
  const { path, revision } = entry
  const rows = rowsText(
    [
      ['file', path === undefined ? undefined : screen.path(root, path)],
      ['revision', replaced === undefined || replaced === revision ? revision : `${revision}, was ${replaced}`],
      ['change', isLogged(change) ? String(change.number) : undefined],
    ],
    screen,
  )
  const sentence = change === undefined ? `Unchanged: ${labelOf(entry)} is already like this` : done
  return {
    json: writtenJson(written),
    text: [screen.plain(sentence), ...rows].join('\n'),
    quietText: '',
    warnings,
  }
}

export async function readOutcome(context: Context, entry: Entry): Promise<Outcome> {
  const { memory, root } = await context.open()
  const { timezone: zone } = await memory.store.settings()
  return {
    json: { entry: entryJson(entry) },
    text: entryText(entry, { screen: context.screen, root, zone }),
    quietText: context.screen.plain(entry.content),
    warnings: [],
  }
}
