/**
 * The objects of a reply that have a field of ours, in order. Fences, prose and tokens around them do not matter; thinking is passed
 * over; an object without our keys, an example say, is passed over as a whole. An object written out with its quotes escaped, or as
 * a JSON string, is unescaped first. Time is proportional to the length: what does not lead to an object may take only so much of it.
 */
import { looseObject } from './loose-json.ts'
import { LONGEST_KEY } from './loose-places.ts'
import { certainFields, type Fields, fieldsIn } from './reply-fields.ts'
import { thinkingAt } from './thinking.ts'

/** Of the text's length, on what began like an object and was none of ours. */
const MOST_IN_VAIN = 8
/** In characters: prose and code may have thousands of braces. */
const LEAST_IN_VAIN = 1_000_000
/** JSON in JSON in JSON. */
const DEEPEST = 3

const ESCAPED = /\{(?:\s|\\+[nrt]){0,200}\\+["']/y

export function fieldsInObjects(text: string): readonly Fields[] {
  return new Search(Math.max(text.length * MOST_IN_VAIN, LEAST_IN_VAIN)).fieldsIn(text, 0)
}

class Search {
  /** In characters, of all layers together. */
  #left: number

  constructor(left: number) {
    this.#left = left
  }

  fieldsIn(text: string, depth: number): readonly Fields[] {
    const found: Fields[] = []
    if (depth > DEEPEST) return found
    const inText = (inner: string): readonly Fields[] => {
      this.#left -= inner.length
      return this.fieldsIn(inner, depth + 1)
    }
    for (let at = 0; at < text.length && this.#left >= 0; ) {
      const step = thinkingAt(text, at)
      if (step) {
        if (step.is === 'answer begins') found.length = 0
        at = step.end
      } else if (text[at] !== '{') at++
      else if (isEscaped(text, at)) return [...found, ...inText(unescaped(text.slice(at)))]
      else {
        const { value, end } = looseObject(text, at)
        const fields = value ? certainFields(fieldsIn(value, inText), value, text, end) : []
        for (const one of fields) found.push(one)
        if (fields.length === 0) this.#left -= end - at + LONGEST_KEY
        // An object that never ended may hold the right one.
        at = value && (fields.length > 0 || !value.cut) ? end : at + 1
      }
    }
    return found
  }
}

function isEscaped(text: string, at: number): boolean {
  ESCAPED.lastIndex = at
  return ESCAPED.test(text)
}

/** One layer of escapes less. */
function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }
  return text.replace(/\\(["'\\/ntr])/g, (_, sign: string) => signs[sign] ?? sign)
}
