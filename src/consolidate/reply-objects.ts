/**
 * The objects of a reply that have a field of ours, in order. Fences, prose and tokens around them do not matter; thinking is passed
 * over; an object without our keys, an example say, is passed over as a whole. An object written out with its quotes escaped, or as
 * a JSON string, is unescaped first. Time is proportional to the length: what does not lead to an object may take only so much of it.
 */
import { looseObject } from './loose-json.ts'
import { LONGEST_KEY } from './loose-places.ts'
import { certaintyOf, roundAbout, standsAlone } from './reply-certainty.ts'
import { DOUBTS, type Doubt, doubted, type Fields, fieldsIn } from './reply-fields.ts'
import { thinkingAt } from './thinking.ts'

/** Of the text's length, on what began like an object and was none of ours. */
const MOST_IN_VAIN = 8
/** In characters: prose and code may have thousands of braces. */
const LEAST_IN_VAIN = 1_000_000
/** JSON in JSON in JSON. */
const DEEPEST = 3

const ESCAPED = /\{(?:\s|\\+[nrt]){0,200}\\+["']/y

/** `wasCut`: the reply ended before its end. */
export function fieldsInObjects(text: string, wasCut: boolean | undefined): readonly Fields[] {
  return new Search(Math.max(text.length * MOST_IN_VAIN, LEAST_IN_VAIN), wasCut).fieldsIn(text, 0, false)
}

class Search {
  /** In characters, of all layers together. */
  #left: number
  readonly #wasCut: boolean | undefined

  constructor(left: number, wasCut: boolean | undefined) {
    this.#left = left
    this.#wasCut = wasCut
  }

  fieldsIn(text: string, depth: number, wasEscaped: boolean): readonly Fields[] {
    const found = new Found()
    if (depth > DEEPEST) return []
    const inText = (inner: string, isEscaped = false): readonly Fields[] => {
      this.#left -= inner.length
      return this.fieldsIn(inner, depth + 1, isEscaped)
    }
    let from = 0
    for (let at = 0; at < text.length && this.#left >= 0; ) {
      const step = thinkingAt(text, at)
      if (step) {
        if (step.is === 'answer begins') found.clear()
        // A text may name the tag; thinking that follows an answer and never ends is none.
        else found.passOver(text.slice(from, step.end < text.length ? at : undefined))
        from = at = step.end
      } else if (text[at] !== '{') at++
      else if (isEscaped(text, at)) {
        found.passOver(text.slice(from, at))
        found.add(inText(unescaped(text.slice(at)), true), 'certain', false)
        return found.fields
      } else {
        const { value, end } = looseObject(text, at)
        const fields = value ? fieldsIn(value, inText) : []
        if (fields.length === 0) this.#left -= end - at + LONGEST_KEY
        // An object that never ended may hold the right one.
        if (!value || (fields.length === 0 && value.cut)) at++
        else {
          const isLabelled = found.passOver(text.slice(from, at))
          const place = {
            value,
            text,
            start: at,
            end,
            opening: '',
            wasEscaped,
            wasCut: this.#wasCut,
            isLabelled,
          } as const
          if (fields.length > 0) found.add(fields, certaintyOf(place), standsAlone(place, found.isLabelled))
          from = at = end
        }
      }
    }
    found.passOver(text.slice(from))
    return found.fields
  }
}

/** What was found so far. One doubtful object makes all doubtful that comes after: it may stand in the text of that one. */
class Found {
  readonly #all: Fields[] = []
  /** Of what comes. */
  #doubt: Doubt | undefined
  /** From here on no words behind it can put it in doubt. */
  #settledFrom = Number.POSITIVE_INFINITY
  /** How many of the first the words behind them put in doubt. */
  #doubted = 0
  #isLabelled = false

  get fields(): readonly Fields[] {
    const most = Math.min(this.#doubted, this.#settledFrom)
    return this.#all.map((one, index) => (index < most ? doubted(one, DOUBTS.around) : one))
  }

  /** What was found last may stand in the text of a section. */
  get isLabelled(): boolean {
    return this.#isLabelled
  }

  /** One that has both fields, stands by itself and is settled is the answer, whatever notes came before it. */
  add(fields: readonly Fields[], certainty: Doubt | 'certain' | 'settled', standsAlone: boolean): void {
    const isSettled = certainty === 'settled'
    const isAnswer = isSettled && standsAlone && fields.some(hasBoth)
    if (!isSettled && certainty !== 'certain') this.#doubt ??= certainty
    const doubt = isAnswer ? undefined : this.#doubt
    if (isSettled) this.#settledFrom = this.#all.length
    for (const one of fields) this.#all.push(doubt === undefined ? one : doubted(one, doubt))
  }

  /** What stands between objects may show that they are parts of a text. Gives whether a label stands right before the next one. */
  passOver(text: string): boolean {
    const says = roundAbout(text)
    if (says === 'a labelled text') this.#isLabelled = true
    if (says === 'a labelled text' || says === 'doubt') {
      this.#doubt ??= DOUBTS.around
      this.#doubted = this.#all.length
    }
    return says === 'a label'
  }

  clear(): void {
    this.#all.length = 0
    this.#doubt = undefined
    this.#doubted = 0
    this.#isLabelled = false
    this.#settledFrom = Number.POSITIVE_INFINITY
  }
}

function hasBoth({ historyEntry, memoryUpdate }: Fields): boolean {
  return historyEntry !== undefined && memoryUpdate !== undefined
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
