/**
 * The English stemmer of the Snowball project, known as Porter2, as its description defines it. Own code because every
 * command needs it at once: it looks at letter codes and allocates only the stem. In: small letters a to z.
 */

/** Words that the rules would get wrong. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word): [string, string] => [word, word]),
])
/** Stems after the plural is gone that are done. */
const DONE: ReadonlySet<string> = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
])

/** Endings of step 2 and what they become, the longest first where one ends with another. */
const STEP_2: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
]
const STEP_3: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const STEP_4: readonly string[] = [
  ...['ement', 'ance', 'ence', 'able', 'ible', 'ment', 'ant', 'ent', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize', 'ion'],
  ...['al', 'er', 'ic'],
]
/** Before `li`, it is an ending. */
const BEFORE_LI = 'cdeghkmnrt'
const DOUBLES = 'bdfgmnprt'

export function stemEnglish(word: string): string {
  if (word.length <= 2) return word
  const exception = EXCEPTIONS.get(word)
  if (exception !== undefined) return exception
  // A capital Y is a consonant, as in "yes" and "boy".
  let stem = markConsonantY(word)
  const region1 = firstRegion(stem)
  const region2 = afterVowelAndConsonant(stem, region1)
  stem = withoutPlural(stem)
  if (DONE.has(stem)) return stem
  stem = withoutPast(stem, region1)
  stem = withFinalI(stem)
  stem = replaced(stem, STEP_2, region1, step2Holds)
  stem = replaced(stem, STEP_3, region1, (_, ending) => ending !== 'ative' || endsIn(stem, ending, region2))
  stem = withoutEnding(stem, region2)
  stem = withoutFinalEOrL(stem, region1, region2)
  return stem.replaceAll('Y', 'y')
}

function isVowel(stem: string, at: number): boolean {
  const letter = stem.charCodeAt(at)
  return letter === 97 || letter === 101 || letter === 105 || letter === 111 || letter === 117 || letter === 121
}

function hasVowel(stem: string, end: number): boolean {
  for (let at = 0; at < end; at++) if (isVowel(stem, at)) return true
  return false
}

function markConsonantY(word: string): string {
  if (!word.includes('y')) return word
  let marked = ''
  for (let at = 0; at < word.length; at++) {
    marked += word[at] === 'y' && (at === 0 || isVowel(marked, at - 1)) ? 'Y' : word[at]
  }
  return marked
}

function firstRegion(stem: string): number {
  if (stem.startsWith('gener') || stem.startsWith('arsen')) return 5
  if (stem.startsWith('commun')) return 6
  return afterVowelAndConsonant(stem, 0)
}

/** Where the rest begins after the first consonant that follows a vowel. */
function afterVowelAndConsonant(stem: string, from: number): number {
  for (let at = from + 1; at < stem.length; at++) {
    if (!isVowel(stem, at) && isVowel(stem, at - 1)) return at + 1
  }
  return stem.length
}

function endsIn(stem: string, ending: string, region: number): boolean {
  return stem.length - ending.length >= region && stem.endsWith(ending)
}

/** Step 1a. */
function withoutPlural(stem: string): string {
  if (stem.endsWith('sses')) return stem.slice(0, -2)
  if (stem.endsWith('ied') || stem.endsWith('ies')) return stem.slice(0, stem.length > 4 ? -2 : -1)
  if (!stem.endsWith('s') || stem.endsWith('us') || stem.endsWith('ss')) return stem
  return hasVowel(stem, stem.length - 2) ? stem.slice(0, -1) : stem
}

/** Step 1b: `eed`, and `ed` and `ing` after a vowel. */
function withoutPast(stem: string, region1: number): string {
  for (const ending of ['eedly', 'eed']) {
    if (stem.endsWith(ending)) return endsIn(stem, ending, region1) ? `${stem.slice(0, -ending.length)}ee` : stem
  }
  for (const ending of ['ingly', 'edly', 'ing', 'ed']) {
    if (!stem.endsWith(ending)) continue
    const rest = stem.slice(0, -ending.length)
    return hasVowel(rest, rest.length) ? completed(rest, region1) : stem
  }
  return stem
}

/** "hop" from "hopping", "hope" from "hoping". */
function completed(rest: string, region1: number): string {
  if (rest.endsWith('at') || rest.endsWith('bl') || rest.endsWith('iz')) return `${rest}e`
  const last = rest.at(-1) ?? ''
  if (last === rest.at(-2) && DOUBLES.includes(last)) return rest.slice(0, -1)
  return rest.length <= region1 && endsInShortSyllable(rest) ? `${rest}e` : rest
}

function endsInShortSyllable(stem: string): boolean {
  const last = stem.length - 1
  if (last === 1) return isVowel(stem, 0) && !isVowel(stem, 1)
  if (last < 2 || isVowel(stem, last) || 'wxY'.includes(stem[last] ?? '')) return false
  return isVowel(stem, last - 1) && !isVowel(stem, last - 2)
}

/** Step 1c. */
function withFinalI(stem: string): string {
  const last = stem.length - 1
  return last > 1 && (stem[last] === 'y' || stem[last] === 'Y') && !isVowel(stem, last - 1)
    ? `${stem.slice(0, last)}i`
    : stem
}

function replaced(
  stem: string,
  endings: readonly (readonly [string, string])[],
  region1: number,
  holds: (stem: string, ending: string) => boolean,
): string {
  for (const [ending, replacement] of endings) {
    if (!stem.endsWith(ending)) continue
    return endsIn(stem, ending, region1) && holds(stem, ending) ? stem.slice(0, -ending.length) + replacement : stem
  }
  return stem
}

function step2Holds(stem: string, ending: string): boolean {
  if (ending === 'ogi') return stem.endsWith('logi')
  return ending !== 'li' || BEFORE_LI.includes(stem.at(-3) ?? ' ')
}

/** Step 4. */
function withoutEnding(stem: string, region2: number): string {
  for (const ending of STEP_4) {
    if (!stem.endsWith(ending)) continue
    const before = stem[stem.length - ending.length - 1]
    const holds = endsIn(stem, ending, region2) && (ending !== 'ion' || before === 's' || before === 't')
    return holds ? stem.slice(0, -ending.length) : stem
  }
  return stem
}

/** Step 5. */
function withoutFinalEOrL(stem: string, region1: number, region2: number): string {
  const rest = stem.slice(0, -1)
  if (stem.endsWith('e')) {
    const goes = endsIn(stem, 'e', region2) || (endsIn(stem, 'e', region1) && !endsInShortSyllable(rest))
    return goes ? rest : stem
  }
  return endsIn(stem, 'l', region2) && stem.endsWith('ll') ? rest : stem
}
