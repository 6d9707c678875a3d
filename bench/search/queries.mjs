// The questions: words of medium frequency, drawn with a fixed seed from the passages themselves. The words of one
// query stand in one passage, as the words of a person who looks for it would. Frequent words come up more often, as
// they do in what people type.
import { seeded } from '../seeded.mjs'

/** Of the passages. With such words FTS5 takes the 14 ms for three of them that the bars were set with. */
const IN_AT_LEAST = 1 / 100
const IN_AT_MOST = 1 / 10
const TERMS = [1, 3, 8]

/** Engines leave such words out, or do not: what they cost is not the question here. */
const FUNCTION_WORDS = new Set(
  `about above after again against also although always another because been before being below between both cannot
   could does doing done down during each either else even every from further have having here however into itself
   just like made make many more most much must near need needs never next nothing often once only onto other
   others over rather same several shall should since some such than that their them then there therefore these
   they this those though through thus together under unless until upon used uses using very were what when where
   whether which while whose will with within without would your yours`.split(/\s+/),
)

/** @returns queries by their number of terms, as lists of words: `measured` ones and others to warm up with */
export function drawQueries(passages, { measured, warmup }) {
  const random = seeded(20_261_116)
  const words = passages.map(wordsOf)
  const documents = new Map()
  for (const list of words) for (const word of list) documents.set(word, (documents.get(word) ?? 0) + 1)
  const isMedium = (word) => {
    const share = documents.get(word) / passages.length
    return share >= IN_AT_LEAST && share <= IN_AT_MOST && !FUNCTION_WORDS.has(word)
  }
  const draw = (terms) => {
    for (;;) {
      const candidates = words[Math.floor(random() * words.length)].filter(isMedium)
      if (candidates.length >= terms) return pick(candidates, terms, random)
    }
  }
  const drawAll = (count) =>
    Object.fromEntries(TERMS.map((terms) => [terms, Array.from({ length: count }, () => draw(terms))]))
  return { measured: drawAll(measured), warmup: drawAll(warmup) }
}

/** Distinct plain words of four letters or more; parts of identifiers and of numbers are none. */
function wordsOf(passage) {
  return [...new Set(passage.toLowerCase().match(/(?<![\w.'-])[a-z]{4,}(?![\w'-])/g) ?? [])]
}

function pick(values, count, random) {
  const rest = [...values]
  return Array.from({ length: count }, () => rest.splice(Math.floor(random() * rest.length), 1)[0])
}
