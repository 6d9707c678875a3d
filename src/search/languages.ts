/**
 * The languages other than English: a stemmer each, loaded when it is configured, and the words that queries are better
 * off without. English is in files of its own, because it must be there at once.
 */
import { InvalidError } from '../errors.ts'

export interface LanguageRules {
  /** In: one lower word, with its accents. */
  readonly stem: (word: string) => string
  /** Folded. */
  readonly stopWords: ReadonlySet<string>
}

interface StemmerModule {
  readonly stemmer: (word: string) => string
}

/**
 * By ISO 639 code. Of the package's own: not `bulgarian`, which throws on some words, and not `sanskrit`, which knows transliterations only;
 * its `indian` is Hindi.
 */
const STEMMERS: Readonly<Record<string, () => Promise<StemmerModule>>> = {
  ar: () => import('@orama/stemmers/arabic'),
  hy: () => import('@orama/stemmers/armenian'),
  da: () => import('@orama/stemmers/danish'),
  nl: () => import('@orama/stemmers/dutch'),
  fi: () => import('@orama/stemmers/finnish'),
  fr: () => import('@orama/stemmers/french'),
  de: () => import('@orama/stemmers/german'),
  el: () => import('@orama/stemmers/greek'),
  hu: () => import('@orama/stemmers/hungarian'),
  hi: () => import('@orama/stemmers/indian'),
  id: () => import('@orama/stemmers/indonesian'),
  ga: () => import('@orama/stemmers/irish'),
  it: () => import('@orama/stemmers/italian'),
  lt: () => import('@orama/stemmers/lithuanian'),
  ne: () => import('@orama/stemmers/nepali'),
  no: () => import('@orama/stemmers/norwegian'),
  pt: () => import('@orama/stemmers/portuguese'),
  ro: () => import('@orama/stemmers/romanian'),
  ru: () => import('@orama/stemmers/russian'),
  sr: () => import('@orama/stemmers/serbian'),
  es: () => import('@orama/stemmers/spanish'),
  sv: () => import('@orama/stemmers/swedish'),
  ta: () => import('@orama/stemmers/tamil'),
  tr: () => import('@orama/stemmers/turkish'),
  uk: () => import('@orama/stemmers/ukrainian'),
}

/** With a stemmer of their own. */
export const LANGUAGES: readonly string[] = ['en', ...Object.keys(STEMMERS)].sort()

/** `nb` and `nn` are both Norwegian, and the stemmer is for either. */
const SAME: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' }

/** Of a language without a stemmer the words are taken as they are: Chinese and Japanese have no endings to take off. */
export async function loadLanguage(language: string): Promise<LanguageRules> {
  if (!/^[a-z]{2}$/.test(language)) {
    throw new InvalidError(
      'language',
      `${JSON.stringify(language)} is not a code`,
      'a code of two letters such as en, de or fr',
    )
  }
  const code = SAME[language] ?? language
  const load = Object.hasOwn(STEMMERS, code) ? STEMMERS[code] : undefined
  const { STOP_WORDS } = await import('./stop-words-by-language.ts')
  const stopWords = new Set(STOP_WORDS[code]?.trim().split(/\s+/))
  return { stem: load ? (await load()).stemmer : (word) => word, stopWords }
}
