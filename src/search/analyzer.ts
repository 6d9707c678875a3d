/**
 * Turns text into the terms that are indexed and searched. Documents and queries go through the same analyzer, so a
 * term is found however it was spelled. Nothing is dropped here: stop words are a matter of queries, because a phrase needs them.
 */
import { LONGEST_TERM } from './compound.ts'
import { fold, lower, withoutAccents } from './fold.ts'
import { IRREGULAR_VERBS } from './irregular-verbs.ts'
import { type LanguageRules, loadLanguage } from './languages.ts'
import { type ScanRules, scan, type TokenSink } from './scan.ts'
import { stemEnglish } from './stem-english.ts'
import { ENGLISH_STOP_WORDS } from './stop-words.ts'
import { TermCache } from './term-cache.ts'

export interface Analyzer {
  readonly language: string
  /** Changes whenever the same text may give other tokens: a snapshot made with another version is void. */
  readonly version: string
  /** Folded words that a query is better off without; missing where none are known. */
  readonly stopWords?: ReadonlySet<string>
  /** The terms of those: they are indexed, but make no text longer. */
  readonly commonTerms?: ReadonlySet<string>
  /** Calls back for each token in order. `term` is what is indexed (folded, stemmed); start and end are offsets in `text`. */
  tokens(text: string, emit: EmitToken): void
}

export type EmitToken = (term: string, start: number, end: number) => void

/** To be counted up with every change of what `tokens` emits. */
const VERSION = 1

const LETTERS_A_TO_Z = /^[a-z]+$/

let english: Analyzer | undefined

export function englishAnalyzer(): Analyzer {
  english ??= new LanguageAnalyzer('en', { englishApostrophes: true }, englishTerm, ENGLISH_STOP_WORDS)
  return english
}

export async function loadAnalyzer(language: string): Promise<Analyzer> {
  if (language === 'en') return englishAnalyzer()
  const rules = await loadLanguage(language)
  return new LanguageAnalyzer(
    language,
    { englishApostrophes: false },
    (spelling) => termBy(rules, spelling),
    rules.stopWords,
  )
}

class LanguageAnalyzer implements Analyzer {
  readonly language: string
  readonly version: string
  readonly stopWords: ReadonlySet<string>
  readonly #rules: ScanRules
  readonly #termOf: (spelling: string) => string
  readonly #terms: TermCache
  #commonTerms: ReadonlySet<string> | undefined

  constructor(
    language: string,
    rules: ScanRules,
    termOf: (spelling: string) => string,
    stopWords: ReadonlySet<string>,
  ) {
    this.language = language
    this.version = `${VERSION}-${language}`
    this.stopWords = stopWords
    this.#termOf = termOf
    this.#rules = rules
    this.#terms = new TermCache(termOf)
  }

  /** Made when something is first indexed: a query does without. */
  get commonTerms(): ReadonlySet<string> {
    this.#commonTerms ??= new Set([...this.stopWords].map(this.#termOf))
    return this.#commonTerms
  }

  tokens(text: string, emit: EmitToken): void {
    scan(text, this.#rules, new TermSink(text, this.#terms, emit))
  }
}

class TermSink implements TokenSink {
  readonly #text: string
  readonly #terms: TermCache
  readonly #emit: EmitToken

  constructor(text: string, terms: TermCache, emit: EmitToken) {
    this.#text = text
    this.#terms = terms
    this.#emit = emit
  }

  word(start: number, end: number): void {
    this.#token(this.#terms.get(this.#text, start, end), start, end)
  }

  compound(form: string, start: number, end: number): void {
    this.#token(this.#terms.get(form, 0, form.length), start, end)
  }

  gram(start: number, end: number): void {
    // A character may carry any number of marks.
    this.#token(this.#terms.get(this.#text, start, Math.min(end, start + LONGEST_TERM)), start, end)
  }

  #token(term: string, start: number, end: number): void {
    // Folding may leave nothing, as of a lone Arabic tatweel.
    if (term !== '') this.#emit(term, start, end)
  }
}

/** English words lose their accents first: "résumés" and "resumes" are one word to those who write it. */
function englishTerm(spelling: string): string {
  const folded = fold(spelling)
  return cut(LETTERS_A_TO_Z.test(folded) ? stemEnglish(IRREGULAR_VERBS.get(folded) ?? folded) : folded)
}

/** Other stemmers know endings by their accents, so these come off last. */
function termBy(rules: LanguageRules, spelling: string): string {
  const lowered = lower(spelling)
  return cut(withoutAccents(/^[\p{L}\p{M}]+$/u.test(lowered) ? rules.stem(lowered) : lowered))
}

/** Folding can make a text longer: one Arabic ligature becomes eighteen letters. */
function cut(term: string): string {
  return term.length > LONGEST_TERM ? term.slice(0, LONGEST_TERM) : term
}
