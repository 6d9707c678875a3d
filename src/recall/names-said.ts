/**
 * What in a message may be the name of an entry though it is made of words too common to search by: "Will", "The Who", "IT".
 * In a sentence a capital letter tells, other than at its beginning; a message that has nothing else may be such a name as a
 * whole. Whether anything is called so is for the store to say. Pure, and bounded.
 */
import { withoutInjected } from '../model/injected.ts'
import type { Analyzer } from '../search/analyzer.ts'
import { fold } from '../search/fold.ts'
import { saidOutOfCourtesy } from './greetings.ts'

/** In UTF-16 units. */
const MOST_READ = 10_000
/** The longest name is shorter. */
const LONGEST_WHOLE = 500
/** Each is looked up. */
const MOST_NAMES = 8

/** Of these signs alone, a text needs no patterns for all scripts, which take V8 a millisecond each. */
const PLAIN = /^[\0-\x7f\u2010-\u2027]*$/

/** The whole message, without the marks around it. */
export function wholeAsName(message: string): string {
  const said = withoutInjected(message).trim()
  if (said.length > LONGEST_WHOLE) return ''
  return said.replace(/^[^\p{L}\p{N}]+/u, '').replace(/[^\p{L}\p{M}\p{N}]+$/u, '')
}

/** Capitalised common words that stand together, and each of them; each once. */
export function namesSaid(message: string, analyzer: Analyzer): readonly string[] {
  const names = new Set<string>()
  for (const { words, opensSentence } of runsOf(withoutInjected(message).slice(0, MOST_READ), analyzer)) {
    const certain = opensSentence ? words.slice(1) : words
    if (certain.length > 0) for (const name of [words.join(' '), ...certain]) names.add(name)
    if (names.size >= MOST_NAMES) break
  }
  return [...names].slice(0, MOST_NAMES)
}

interface Run {
  readonly words: string[]
  readonly opensSentence: boolean
}

function* runsOf(text: string, analyzer: Analyzer): Generator<Run> {
  let run: Run | undefined
  let opensSentence = true
  let end = 0
  for (const { 0: item, index } of text.matchAll(endOrWord(text))) {
    const follows = /^\s+$/.test(text.slice(end, index))
    end = index + item.length
    const isWord = !/^[.!?\u2026\n]/.test(item)
    const isName = isWord && isCapitalised(item) && isCommon(item, analyzer)
    if (run && isName && follows) run.words.push(item)
    else {
      if (run) yield run
      run = isName ? { words: [item], opensSentence } : undefined
    }
    opensSentence = !isWord
  }
  if (run) yield run
}

function endOrWord(text: string): RegExp {
  if (PLAIN.test(text)) return /[.!?\u2026](?=\s|$)|\n|[A-Za-z0-9]+/g
  return /[.!?\u2026](?=\s|$)|\n|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
}

/** "I" is no name. */
function isCapitalised(word: string): boolean {
  if (/^[A-Za-z0-9]/.test(word)) return word.length > 1 && /^[A-Z]/.test(word)
  if (/^[A-Za-z0-9]/.test(word)) return word.length > 1 && /^[A-Z]/.test(word)
  return word.length > 1 && /^\p{Lu}/u.test(word)
}

function isCommon(word: string, { stopWords }: Analyzer): boolean {
  const folded = fold(word)
  return stopWords?.has(folded) === true || saidOutOfCourtesy([folded], 0, true) > 0
}
