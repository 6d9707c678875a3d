/** The output of an undo: which changes it reverted or why it could not, what became of the texts, and what to type next. */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
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

/** The same error with a hint that names commands and options. */
export function withCommandHint(error: unknown): unknown {
  if (!isKeepsakeError(error)) return error
  const { code, message, data } = error
  const hint = commandHint(code, data)
  return hint === undefined ? error : new KeepsakeError(code, message, { hint, data, cause: error })
}

function commandHint(code: KeepsakeError['code'], data: KeepsakeError['data']): string | undefined {
  const { later, undoneBy, before, external } = data
  if (typeof before === 'number') return `To undo the change before it: keepsake undo ${before}`
  if (typeof undoneBy === 'number') return `To bring it back: keepsake undo ${undoneBy}`
  if (typeof external === 'number') return `To undo the newest external edit: keepsake undo ${external}`
  if (Array.isArray(later)) return 'To undo the later ones too, add --with-later. Or write what you want instead.'
  return code === 'NOT_FOUND' ? 'To list the changes: keepsake log' : undefined
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
