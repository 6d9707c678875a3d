/** What condensing did, as people read it: what became of the session and of MEMORY.md, where that is, and what is left to do. */
import type { Consolidated } from '../consolidate/consolidated.ts'
import { partedByRaw } from '../consolidate/raw-archives.ts'
import type { Entry } from '../model/entry.ts'
import { rowsText, type TextPlace } from './entry-text.ts'
import type { Screen } from './screen.ts'

const MEMORY_TEXTS: Readonly<Record<Consolidated['memory'], string | undefined>> = {
  updated: 'MEMORY.md is rewritten',
  merged: 'MEMORY.md is rewritten, with what others wrote meanwhile',
  unchanged: undefined,
  'for review': 'MEMORY.md is as it was',
}

export function consolidatedText(done: Consolidated, place: Pick<TextPlace, 'screen' | 'root'>): string {
  const { history, memory, review, outcome, changes } = done
  const { summaries, raw } = partedByRaw(done)
  const { screen } = place
  const rows = rowsText(
    [
      ['history', pathsOf(history, place)],
      ['archive', pathsOf(summaries, place)],
      ['kept in', pathsOf(raw, place)],
      ['memory', MEMORY_TEXTS[memory]],
      ['review', review && `a rewrite waits for you (${review.reason}): keepsake review`],
      ['retry', outcome === 'fell back' ? 'keepsake consolidate --retry' : undefined],
      ['change', changes.map(({ number }) => number).join(', ') || undefined],
    ],
    screen,
  )
  return [sentence(done, screen), ...rows].join('\n')
}

/** Why it fell back, for standard error: the text tells what was kept. */
export function failureWarnings(done: Consolidated): string[] {
  if (done.failure === undefined) return []
  const { message, hint } = done.failure
  const what = `${isPartlyDone(done) ? 'the rest of ' : ''}session "${done.session}"`
  return [`${what} is not condensed: ${message}${hint === undefined ? '' : `\n${hint}`}`]
}

/** The model failed at a later piece. */
function isPartlyDone(done: Consolidated): boolean {
  return done.outcome === 'fell back' && partedByRaw(done).summaries.length > 0
}

function sentence(done: Consolidated, screen: Screen): string {
  const { session, outcome, why } = done
  const it = screen.line(`session "${session}"`)
  if (isPartlyDone(done)) return `Condensed the first part of ${it}; the rest is kept as it is`
  if (outcome === 'fell back') return `All that was said in ${it} is kept as it is`
  if (outcome === 'condensed') return `Condensed ${it}`
  return `Nothing was done to ${it}: ${why === 'already condensed' ? 'it is condensed already' : 'there is nothing to condense'}`
}

/** Each file once, though several entries may be in it. */
function pathsOf(entries: readonly Entry[], { screen, root }: Pick<TextPlace, 'screen' | 'root'>): string | undefined {
  const paths = entries.map(({ path, name, id }) => (path === undefined ? (name ?? id) : screen.path(root, path)))
  return [...new Set(paths)].join(', ') || undefined
}
