/** What an undo did, as people read it: which changes, what became of the texts, and how to take that back. */
import type { Undone } from '../memory.ts'
import type { Touched } from '../ports/store.ts'
import { diffsText, logText } from './change-text.ts'
import type { Screen } from './screen.ts'

/** Of the diff of each entry; "keepsake log NUMBER" shows it whole. */
const MOST_LINES = 12

interface Telling {
  readonly screen: Screen
  readonly zone: string
  readonly dryRun: boolean
}

export function undoneText({ change, undone }: Undone, { screen, zone, dryRun }: Telling): string {
  const title = dryRun ? 'Would undo:' : change === undefined ? 'Nothing to do, all is as it was before:' : 'Undid:'
  const next =
    change === undefined
      ? dryRun && 'Nothing was changed.'
      : `That is change ${change.number}. To take it back: keepsake undo ${change.number}`
  return [
    title,
    indented(logText(undone.toReversed(), screen, zone, false)),
    ...diffsText(reversals(undone), screen, MOST_LINES),
    ...(next ? [next] : []),
  ].join('\n')
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

/** What the undo does to each entry: from the last state that is taken back to the one before the first. */
export function reversals(undone: Undone['undone']): readonly Touched[] {
  const touched = new Map<string, Touched>()
  for (const { id, before, after } of undone.toReversed().flatMap((logged) => logged.touched)) {
    const now = touched.has(id) ? touched.get(id)?.before : after
    touched.set(id, { id, ...(now ? { before: now } : {}), ...(before ? { after: before } : {}) })
  }
  return [...touched.values()]
}
