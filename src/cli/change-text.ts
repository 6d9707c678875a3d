/** Changes as people read them: who did what to which entries, and what became of the texts. */
import type { VisibleChange } from '../history/log.ts'
import type { Entry } from '../model/entry.ts'
import { aKind } from '../model/kinds.ts'
import type { Change } from '../model/operation.ts'
import type { Touched } from '../ports/store.ts'
import { diffText } from './diff-text.ts'
import { columnWidth, padToWidth } from './display-width.ts'
import { labelOf, originText, shortened, timeText } from './entry-text.ts'
import type { Screen } from './screen.ts'

/** More are counted, not told. */
const MOST_TOLD = 3

/** `agent main`, `hand`, `undo of 12`. */
export function whoText({ origin, reverts }: Change): string {
  if (reverts === undefined) return originText(origin)
  return reverts.length <= MOST_TOLD ? `undo of ${reverts.join(', ')}` : `undo of ${reverts.length} changes`
}

/** `added the note "deploys"; rewrote MEMORY`. */
export function whatText(
  touched: readonly Touched[],
  { found, purged }: Pick<Change, 'found' | 'purged'> = {},
): string {
  if (purged !== undefined) return 'purged an entry'
  // An undo tells of no more than it takes back.
  if (touched.length === 0) return 'only what has expired since'
  const told = touched.slice(0, MOST_TOLD).map((one) => (found ? foundText(one) : touchedText(one)))
  const more = touched.length - told.length
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** A line a change, in columns; with `diffs`, what became of the texts below each. */
export function logText(changes: readonly VisibleChange[], screen: Screen, zone: string, diffs: boolean): string {
  const rows = changes.map((logged) => ({
    logged,
    number: String(logged.change.number),
    who: screen.line(whoText(logged.change)),
  }))
  const numbers = Math.max(0, ...rows.map(({ number }) => number.length))
  const whos = columnWidth(rows.map(({ who }) => who))
  return rows
    .flatMap(({ logged, number, who }) => {
      const { change, touched, undoneBy } = logged
      const what = whatText(touched, change) + supersedingText(change)
      const line = `${number.padStart(numbers)}  ${timeText(change.at, zone)}  ${padToWidth(whos, who)}  ${what}`
      const shown = undoneBy === undefined ? screen.plain(line) : screen.dim(`${line} (undone by ${undoneBy})`)
      return diffs ? [shown, ...diffsText(touched, screen), ''] : [shown]
    })
    .join('\n')
    .trimEnd()
}

/** The diffs of the texts, indented; where there are several, each below what was done. */
export function diffsText(touched: readonly Touched[], screen: Screen, mostLines?: number): string[] {
  return touched.flatMap((one) => {
    const lines = diffText(one.before?.content ?? '', one.after?.content ?? '', screen, mostLines)
    const titled = touched.length === 1 ? lines : [screen.plain(touchedText(one)), ...lines]
    return titled.map((line) => `    ${line}`)
  })
}

function touchedText({ before, after }: Touched): string {
  if (after && before) return [...edits(before, after)].join(' and ') || unchangedText(before, after)
  if (after) return `added ${titleOf(after)}`
  return before ? `removed ${titleOf(before)}` : 'nothing'
}

/** Nobody added it: it lay there when the record of changes began. */
function foundText(touched: Touched): string {
  return touched.after && !touched.before ? `found ${titleOf(touched.after)}` : touchedText(touched)
}

function supersedingText({ supersedes }: Change): string {
  return supersedes === undefined ? '' : ` (where a crash had kept change ${supersedes} from being written)`
}

function unchangedText(before: Entry, after: Entry): string {
  if (after.path !== undefined && before.path !== after.path) return `moved ${titleOf(after)} to ${after.path}`
  return `wrote ${titleOf(after)} as it was`
}

/** What has no name is known by its first words. */
function titleOf(entry: Entry): string {
  const isNamed = entry.name !== null || entry.key !== undefined
  return isNamed ? labelOf(entry) : `the ${entry.kind} "${shortened(entry.content)}"`
}

/** The title stands once. */
function* edits(before: Entry, after: Entry): Iterable<string> {
  let it = titleOf(before)
  const told = (text: string): string => {
    it = 'it'
    return text
  }
  const renamed = before.name !== after.name
  if (renamed) yield told(`renamed ${it} to "${after.name ?? after.id}"`)
  if (before.kind !== after.kind) yield told(`made ${it} ${aKind(after.kind)}`)
  if (before.scope !== after.scope) yield told(`moved ${it} to ${after.scope}`)
  if (before.content !== after.content) yield told(`rewrote ${it}`)
  if (before.description !== after.description) yield told(`changed the description of ${it}`)
  for (const alias of after.aliases) {
    const isOldName = renamed && alias === before.name
    if (!before.aliases.includes(alias) && !isOldName) yield told(`gave ${it} the alias "${alias}"`)
  }
  for (const alias of before.aliases) {
    const isNewName = renamed && alias === after.name
    if (!after.aliases.includes(alias) && !isNewName) yield told(`took the alias "${alias}" from ${it}`)
  }
  if (JSON.stringify(before.metadata) !== JSON.stringify(after.metadata)) yield told(`changed the metadata of ${it}`)
  if (before.expiresAt !== after.expiresAt) yield told(`changed the expiry of ${it}`)
}
