/** Hits as people read them: a line about each, then the lines of its text that the query's words stand in. */
import type { Entry } from '../model/entry.ts'
import { meaningText, nearestText, nothingFoundText } from '../prompt/searched-text.ts'
import type { Found, Hit, Range } from '../recall/found.ts'
import { shortened, type TextPlace, timeText } from './entry-text.ts'
import type { Screen } from './screen.ts'
import { snippet } from './snippet.ts'

const SIZE = { width: 92, mostLines: 3 }

/** `below`: more lines to each hit. */
export function hitsText(
  { hits, searched }: Found,
  place: TextPlace,
  below: (hit: Hit) => readonly string[] = () => [],
): string {
  const { screen, zone } = place
  const hint = searched.vectors?.pending ? ['Run `keepsake embed` to create the missing vectors.'] : []
  if (hits.length === 0) {
    return linesOf([nothingFoundText(searched, zone, (option) => `--${option}`), ...hint].join('\n'), screen)
  }
  const ranks = String(hits.length).length
  const indent = ' '.repeat(ranks + 2)
  const texts = hits.map((hit, index) => {
    const rank = String(index + 1).padStart(ranks)
    const lines = [...snippetText(hit, screen), ...alikeText(hit), ...below(hit)]
    return [`${rank}  ${headerText(hit.entry, hit.score, place)}`, ...lines.map((line) => indent + line)].join('\n')
  })
  // Words that stand nowhere are no news where nobody looked for words.
  const unknown = searched.mode === 'semantic' ? [] : nearestText(searched)
  const notes = [
    ...moreText(hits, searched),
    ...[...unknown, ...meaningText(searched), ...hint].map((line) => screen.line(line)),
  ]
  return [...texts, ...notes.map((line) => screen.dim(line))].join('\n\n')
}

/** `Deploys  note  2026-11-15 22:08  0.83  .keepsake/…`; what has no name can only be addressed by its id. */
export function headerText(entry: Entry, score: number | undefined, { screen, root, zone }: TextPlace): string {
  const { name, kind, createdAt, path, id } = entry
  const where = [
    ...(path === undefined ? [] : [screen.path(root, path)]),
    ...(name === null || path === undefined ? [id] : []),
  ]
  return [
    screen.bold(titleOf(entry, screen)),
    kind,
    timeText(createdAt, zone),
    ...(score === undefined ? [] : [score.toFixed(2)]),
    screen.dim(where.join('  ')),
  ].join('  ')
}

/** Its name, or its first words. */
export function titleOf({ name, key, content }: Entry, screen: Screen): string {
  return screen.line(shortened(name ?? key ?? content))
}

/** Text that is not ours, line by line. */
export function linesOf(text: string, screen: Screen): string {
  return text
    .split('\n')
    .map((line) => screen.line(line))
    .join('\n')
}

function snippetText({ entry, highlights }: Hit, screen: Screen): string[] {
  const { content, description } = entry
  // What the query's words stand in is shown; where that is not the text, it may well be this.
  const described = highlights.length === 0 && description !== '' ? [screen.plain(shortened(description))] : []
  const lines = snippet(content, highlights, SIZE).map(({ range, cutBefore, cutAfter }) => {
    const text = markedText(content, range, highlights, screen)
    return `${cutBefore ? '… ' : ''}${text}${cutAfter ? ' …' : ''}`
  })
  return [...described, ...lines]
}

function markedText(content: string, [start, end]: Range, highlights: readonly Range[], screen: Screen): string {
  let [text, at] = ['', start]
  for (const [from, to] of highlights) {
    const [first, last] = [Math.max(from, at), Math.min(to, end)]
    if (first >= last) continue
    text += screen.plain(content, at, first) + screen.bold(screen.plain(content, first, last))
    at = last
  }
  return text + screen.plain(content, at, end)
}

function alikeText({ alike }: Hit): string[] {
  return alike.length === 0 ? [] : [`and ${alike.length} nearly the same`]
}

function moreText(hits: readonly Hit[], { matched, omitted }: Found['searched']): string[] {
  const alike = hits.reduce((sum, hit) => sum + hit.alike.length, 0)
  if (omitted > 0) return [`${omitted} more did not fit the budget.`]
  const isMore = matched > hits.length + alike
  return isMore ? [`${hits.length} of ${matched} that match; --limit and --min-score say how many are shown.`] : []
}
