/**
 * A score as steps that lead from 0 to it, each beginning where the one before it ends, so that what is drawn and what is read adds up.
 * Pure. Words and supports come first, as they are before the factors; each factor is a step of its own, back where it is below 1;
 * meaning comes last.
 */
import type { BoostPart, SupportPart, Why, WordPart } from '../../../recall/found.ts'
import { wholeText } from '../../parts/number-text.ts'

export type ReasonGroup = 'exact' | 'word' | 'support' | 'factor' | 'meaning'

export interface Reason {
  readonly group: ReasonGroup
  readonly label: string
  readonly detail: string
  /** On the scale of scores, 0 to 1; `to` lies before `from` where it takes something away. */
  readonly from: number
  readonly to: number
}

const SUPPORTS: Readonly<Record<SupportPart['by'], { readonly label: string; readonly detail: string }>> = {
  neighbour: { label: 'next to it', detail: 'the turns before and after it have words of the query' },
  session: { label: 'around it', detail: 'the rest of its session has words of the query' },
  nearness: { label: 'close together', detail: 'the words stand close together in it' },
}

const FACTORS: Readonly<Record<BoostPart['by'], string>> = {
  length: 'length',
  recency: 'age',
  kind: 'kind',
}

const FIELDS: Readonly<Record<string, string>> = { content: 'text', headings: 'heading', tags: 'tag' }

export function reasonsOf(why: Why): readonly Reason[] {
  if (why.exact !== undefined) {
    const label = why.exact === 'name' ? 'its name' : 'an alias'
    return [{ group: 'exact', label, detail: `the query is ${label}, to the letter`, from: 0, to: why.score }]
  }
  const steps = [...wordSteps(why), ...meaningSteps(why)]
  let at = 0
  return steps.map(({ step, ...reason }, index) => {
    const from = at
    // Nothing but an exact name reaches 1: what is above is cut off the last step.
    at = index === steps.length - 1 ? why.score : from + step(from)
    return { ...reason, from, to: at }
  })
}

/** Only an exact name is 1: with three digits, what is next to it still differs. */
export function scoreText(score: number): string {
  return score.toFixed(3)
}

/** In thousandths: of rounded ends, so that the numbers that are read add up to the score that is read. */
export function worthOf({ from, to }: Reason): number {
  return Math.round(to * 1000) - Math.round(from * 1000)
}

interface Step extends Omit<Reason, 'from' | 'to'> {
  readonly step: (from: number) => number
}

function wordSteps({ words, supports, boosts, byWords, score }: Why): Step[] {
  const points = [...words, ...supports].reduce((sum, part) => sum + part.score, 0)
  if (points === 0) return []
  const factors = boosts.reduce((product, { factor }) => product * factor, 1)
  // What one point is worth in the end, however it was measured, weighed and cut.
  const worth = (byWords ?? score) / (points * factors)
  return [
    ...words.map((word): Step => ({ ...wordText(word), group: 'word', step: () => word.score * worth })),
    ...supports.map((part): Step => ({ ...SUPPORTS[part.by], group: 'support', step: () => part.score * worth })),
    ...boosts.map(
      ({ by, factor }): Step => ({
        group: 'factor',
        label: `${FACTORS[by]} ×${factor.toFixed(2)}`,
        detail: factorText(by, factor),
        step: (from) => from * (factor - 1),
      }),
    ),
  ]
}

function meaningSteps({ meaning }: Why): Step[] {
  if (!meaning) return []
  const { cosine, score } = meaning
  const detail = cosine === undefined ? 'no vector yet: counted as what is usual' : `cosine ${cosine.toFixed(2)}`
  return [{ group: 'meaning', label: 'meaning', detail, step: () => score }]
}

function wordText({ text, term, counts, documents }: WordPart): { readonly label: string; readonly detail: string } {
  const places = Object.entries(counts).map(([field, count]) => `${count}× in its ${FIELDS[field] ?? field}`)
  const entries = documents === 1 ? 'stands in 1 entry' : `stands in ${wholeText(documents)} entries`
  const indexed = bare(text) === bare(term) || term === 'date' ? [] : [`as “${term}”`]
  const stands = term === 'date' ? ['by its date'] : places
  return { label: text, detail: `${[...indexed, ...stands].join(', ')}; ${entries}` }
}

function factorText(by: BoostPart['by'], factor: number): string {
  if (by === 'length') return factor < 1 ? 'long: its words say less' : 'short: its words say more'
  if (by === 'recency') return 'new counts a little more'
  return factor < 1 ? 'this kind counts a little less' : 'this kind counts a little more'
}

/** Without quotes and star. */
function bare(text: string): string {
  return text.replace(/["*]/g, '').toLowerCase()
}
