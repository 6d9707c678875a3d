/** Every part of a score as a table: what each word gave, what else came to it, and what it was measured by. */
import { MODE_TEXTS, meaningText, searchedText, understoodParts } from '../prompt/searched-text.ts'
import type { Searched, SupportPart, Why, WordPart } from '../recall/found.ts'
import { columnWidth, displayWidth } from './display-width.ts'
import { rowsText, shortened } from './entry-text.ts'
import type { Screen } from './screen.ts'

/** What, where, in how many entries, points. */
type Row = readonly [string, string, string, string]

const TITLES: Row = ['part', 'stands in', 'entries', 'points']
const MAX_COLUMNS = 34

/** Where what supports a hit comes from. */
const SUPPORTS: Readonly<Record<SupportPart['by'], string>> = {
  neighbour: 'words of the turns next to it',
  session: 'words of its session',
  nearness: 'its words stand close together',
}

/** The lines of one hit's table. */
export function explainText(why: Why, screen: Screen): string[] {
  const [head = '', ...rows] = tableText([TITLES, ...rowsOf(why)], screen)
  return [screen.dim(head), ...rows]
}

/** What was searched, and how the query was understood. */
export function searchText(searched: Searched, zone: string, screen: Screen): string {
  const { matched, mode } = searched
  const sentence = `Searched ${searchedText(searched, zone)} ${MODE_TEXTS[mode]}; ${matched} match.`
  const rows = understoodParts(searched.understood).map(([called, texts]) => [called, screen.line(texts)] as const)
  return [
    screen.line(sentence),
    ...vectorsText(searched).map((line) => screen.line(line)),
    ...meaningText(searched).map((line) => screen.line(line)),
    ...rowsText(rows, screen),
  ].join('\n')
}

/** What searched the vectors, if the store did. */
function vectorsText({ vectors }: Searched): string[] {
  if (vectors?.searchedBy === undefined) return []
  return [`Vectors of ${vectors.model}, searched by ${vectors.searchedBy}.`]
}

function rowsOf(why: Why): Row[] {
  const { words, supports, boosts, best } = why
  const points = pointsOf(best)
  return [
    ...words.map((word) => wordRow(word, points)),
    ...supports.map(({ by, score: gained }): Row => [by, SUPPORTS[by], '', points(gained)]),
    // They weigh what the words give.
    ...(why.byWords === 0 ? [] : boosts).map(({ by, factor }): Row => [by, '', '', `×${factor.toFixed(2)}`]),
    ...meaningRows(why, points),
    scoreRow(why, points),
  ]
}

/** Where meaning has a say, a score is the sum of these two. */
function meaningRows({ byWords, meaning, best }: Why, points: (number: number) => string): Row[] {
  if (!meaning) return []
  const near = meaning.cosine === undefined ? 'no vector yet' : `cosine ${meaning.cosine.toFixed(2)}`
  return [
    ...(byWords === undefined || best === 0
      ? []
      : [['by words', `of ${points(best)} at best`, '', byWords.toFixed(2)] as const]),
    ['by meaning', near, '', meaning.score.toFixed(2)],
  ]
}

function scoreRow({ exact, meaning, best, score }: Why, points: (number: number) => string): Row {
  if (exact !== undefined) return ['score', `the query is its ${exact}`, '', score.toFixed(2)]
  return ['score', meaning ? '' : `of ${points(best)} at best`, '', score.toFixed(2)]
}

function wordRow({ text, term, counts, documents, score }: WordPart, points: (number: number) => string): Row {
  const isAsIndexed = bare(text) === bare(term)
  const fields = Object.entries(counts).map(([field, count]) => `${field} ${count}`)
  return [isAsIndexed ? text : `${text} (${term})`, fields.join(', ') || 'nowhere', String(documents), points(score)]
}

/** Without quotes and star. */
function bare(text: string): string {
  return text.replace(/["*]/g, '').toLowerCase()
}

/** A word that stands nearly everywhere gives hundredths of a point: so many digits that the rows still add up to the score. */
function pointsOf(best: number): (number: number) => string {
  const digits = best > 0 && best < 1 ? Math.min(8, 2 + Math.ceil(-Math.log10(best))) : 2
  return (number) => number.toFixed(digits)
}

/** Columns, words to the left and numbers to the right. */
function tableText(rows: readonly Row[], screen: Screen): string[] {
  const cells = rows.map((row) => row.map((cell) => shortened(screen.line(cell), MAX_COLUMNS)))
  const widths = [0, 1, 2, 3].map((column) => columnWidth(cells.map((row) => row[column] ?? '')))
  return cells.map((row) =>
    row
      .map((cell, column) => {
        const blanks = ' '.repeat((widths[column] ?? 0) - displayWidth(cell))
        return column < 2 ? cell + blanks : blanks + cell
      })
      .join('  '),
  )
}
