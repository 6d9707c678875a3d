/**
 * From what a person just said to what is searched for before the turn. A message is a sentence and never the syntax of a
 * query: only words as the index has them go into the result, so that quotes, stars and minus signs mean nothing. Pure, and
 * its time is proportional to what is looked at, whatever that is.
 */
import { withoutInjected } from '../model/injected.ts'
import { UNPARTED_SCRIPTS } from '../model/unparted-scripts.ts'
import type { Analyzer } from '../search/analyzer.ts'
import { fold } from '../search/fold.ts'
import { isStopWord } from '../search/is-stop-word.ts'
import { hasSmallLetters, LONGEST_QUERY } from '../search/query.ts'
import { greetingLength, saidOutOfCourtesy } from './greetings.ts'
import { saysSomething } from './says-something.ts'

export interface AutoQueryOptions {
  readonly analyzer: Analyzer
  /** How many of the message's first words count, or all of it by its rarest. */
  readonly words: number | 'all'
  /** The first words as they are, greetings and stop words too. */
  readonly toTheLetter: boolean
  /** In how many entries a term stands; `all` goes by it. */
  readonly documentsWith: (term: string) => number
}

/**
 * How many terms `all` searches by. On the long questions of the dev sets (median 17 to 75 words) nDCG@10 grows up to 24
 * (.31, .37 and .28 with 8; .35, .39 and .43 with 24) and hardly from there on, while each term costs work on every entry.
 */
const RAREST = 24
/** So that no word of a pasted log crowds the others out of a query, which is cut at its end. */
const MOST_REPEATS = 6
/** A longer item is a key, a digest or data: nobody means it by its words. */
const LONGEST_ITEM = 64
/** In UTF-16 units. Who pastes a book means the words at its head; and a turn waits for this. */
const MOST_READ = 100_000

/** Words parted by blanks; empty where nothing is left to search by. */
export function autoQuery(message: string, options: AutoQueryOptions): string {
  const said = withoutInjected(message)
  if (options.words !== 'all' && options.toTheLetter) return firstItems(said, options.words, options.analyzer)
  const { prose, code } = partCode(said.slice(0, MOST_READ))
  // Who sends nothing but code or a key means that.
  return queryOf(prose, LONGEST_ITEM, options) || queryOf(`${prose}\n${code}`, LONGEST_QUERY, options)
}

function queryOf(text: string, longestItem: number, options: AutoQueryOptions): string {
  const words = wordsOf(text, longestItem, options.analyzer)
  return joined(options.words === 'all' ? rarest(words, options.documentsWith) : first(words, options.words))
}

interface Word {
  readonly text: string
  /** As the index has it: a compound with its parts. */
  readonly terms: readonly string[]
  /** It is a pair of characters whose first is the last of the pair before. */
  readonly overlaps: boolean
}

/** A pair that goes on where the last one ended is half a word: scripts without blanks have two characters to a word. */
function first(words: Iterable<Word>, most: number): Word[] {
  const taken: Word[] = []
  let count = 0
  for (const word of words) {
    count += word.overlaps ? 0.5 : 1
    if (count > most) break
    taken.push(word)
  }
  return taken
}

/** In the order of the message. What it says more than once counts more; what stands in no entry finds none. */
function rarest(words: Iterable<Word>, documentsWith: AutoQueryOptions['documentsWith']): Word[] {
  const said = [...words]
  const documents = new Map<string, number>()
  for (const { terms } of said) {
    const [term = ''] = terms
    if (documents.has(term)) continue
    const counts = terms.map(documentsWith).filter((count) => count > 0)
    if (counts.length > 0) documents.set(term, Math.min(...counts))
  }
  const chosen = [...documents].sort(([, a], [, b]) => a - b).slice(0, RAREST)
  const left = new Map(chosen.map(([term]) => [term, MOST_REPEATS]))
  return said.filter(({ terms: [term = ''] }) => {
    const repeats = left.get(term) ?? 0
    left.set(term, repeats - 1)
    return repeats > 0
  })
}

/** Pairs that follow each other are written as the run that they are pairs of. */
function joined(words: readonly Word[]): string {
  let text = ''
  let last = ''
  for (const word of words) {
    const shared = word.overlaps ? sharedLength(last, word.text) : 0
    text += shared > 0 ? word.text.slice(shared) : text === '' ? word.text : ` ${word.text}`
    last = word.text
  }
  return text
}

/** Of the end of one pair and the beginning of the next. */
function sharedLength(pair: string, next: string): number {
  for (let length = Math.min(pair.length, next.length) - 1; length > 0; length--) {
    if (pair.endsWith(next.slice(0, length))) return length
  }
  return 0
}

/** The words that count, sentence by sentence, so that nobody reads on when there are enough. */
function* wordsOf(text: string, longestItem: number, analyzer: Analyzer): Generator<Word> {
  const isOfSmallLetters = hasSmallLetters(text)
  for (const sentence of sentencesOf(text)) {
    const words = wordsIn(withoutNoise(sentence, longestItem), analyzer)
    const folded = words.map((word) => fold(word.text))
    let beginsSentence = true
    for (let at = 0; at < words.length; ) {
      const courtesy = saidOutOfCourtesy(folded, at, beginsSentence)
      if (courtesy > 0) {
        at += courtesy
        continue
      }
      beginsSentence = false
      const word = words[at++] as Word // below the length
      if (!isStopWord(word.text, analyzer, isOfSmallLetters) && saysSomething(word.text)) yield word
    }
  }
}

/** Where a sentence or a part of one ends: a mark before a blank, or one of the scripts that do without blanks. */
const ENDS = /\n|[.!?\u2026:;,](?=\s)|[\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]/g

function* sentencesOf(text: string): Generator<string> {
  let from = 0
  for (const { 0: mark, index } of text.matchAll(ENDS)) {
    yield* pieces(text.slice(from, index))
    from = index + mark.length
  }
  yield* pieces(text.slice(from))
}

function* pieces(sentence: string): Generator<string> {
  for (let at = 0; at < sentence.length; at += LONGEST_QUERY) yield sentence.slice(at, at + LONGEST_QUERY)
}

const ITEM = /\S+/g
const ADDRESS = /^[(<[]*(?:https?|ftp):\/\/(?:www\.)?/i

/** Of an address its place and path; of what is too long to be a word nothing; of a greeting without blanks the rest. */
function withoutNoise(sentence: string, longestItem: number): string {
  let from = sentence.search(/\S/)
  for (let length = 1; length > 0; from += length) length = greetingLength(sentence, Math.max(0, from))
  return sentence.slice(Math.max(0, from)).replace(ITEM, (item) => {
    const place = ADDRESS.test(item) ? item.replace(ADDRESS, '').replace(/[?#].*$/, '') : item
    return place.length > longestItem && !hasUnpartedScript(place) ? '' : place
  })
}

/** Few items are that long, and V8 takes half a millisecond for the pattern. */
function hasUnpartedScript(text: string): boolean {
  return new RegExp(`[${UNPARTED_SCRIPTS}]`, 'u').test(text)
}

function wordsIn(text: string, analyzer: Analyzer): Word[] {
  const words: (Word & { readonly terms: string[] })[] = []
  let end = 0
  analyzer.tokens(text, (term, start, tokenEnd) => {
    if (tokenEnd <= end) words.at(-1)?.terms.push(term)
    else words.push({ text: text.slice(start, tokenEnd), terms: [term], overlaps: start < end })
    end = Math.max(end, tokenEnd)
  })
  return words
}

/** What stands between blanks, whatever it is. */
function firstItems(text: string, most: number, analyzer: Analyzer): string {
  const taken: string[] = []
  let count = 0
  for (const [item] of text.matchAll(ITEM)) {
    if (++count > most) break
    taken.push(joined(wordsIn(item.slice(0, LONGEST_QUERY), analyzer)))
  }
  return taken.filter((item) => item !== '').join(' ')
}

/** Fenced code apart from the rest. A fence that never closes goes on to the end. */
function partCode(text: string): { readonly prose: string; readonly code: string } {
  if (!text.includes('```') && !text.includes('~~~')) return { prose: text, code: '' }
  const prose: string[] = []
  const code: string[] = []
  let fence = ''
  for (const line of text.split('\n')) {
    const mark = /^\s{0,3}(```|~~~)/.exec(line)?.[1] ?? ''
    if (mark !== '' && (fence === '' || mark === fence)) fence = fence === '' ? mark : ''
    else (fence === '' ? prose : code).push(line)
  }
  return { prose: prose.join('\n'), code: code.join('\n') }
}
