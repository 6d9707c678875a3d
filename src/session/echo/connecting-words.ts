/**
 * Words that only lead to what is repeated, affirm it or ask about it: "Here is what I remember:", "Yes,", "Is it still so?". A
 * closed list, and a short one: any other word may be news, above all "no" and "not". A lead-in in other words comes back with
 * its sentence, and so does who it is about: "you use it" is not "we use it", for another may be meant.
 */
import { hashOf, type Word } from './words.ts'

const WORDS = `
  a about according am an and anything are as assistant content context continue earlier else far following for found from go
  hello hi here i is it know me memories memory message my note notes of ok okay on our please previous recall recap remember
  role said say says shall so still summary text thank thanks that the there these this to told user we what you your
`

const CONNECTING = new Set(WORDS.trim().split(/\s+/).map(hashOf))

/** Whether a word may tell something. */
export function isNews({ hash }: Word): boolean {
  return !CONNECTING.has(hash)
}

const AFFIRMING = new Set(
  'absolutely certainly correct definitely exactly indeed right sure surely true yeah yep yes'.split(' ').map(hashOf),
)

/**
 * Whether a word before what is repeated only leads to it. One that affirms does so in the same sentence only: by itself it is
 * an answer ("yes"), and behind it may be a side ("on the right").
 */
export function isLeadIn(word: Word): boolean {
  return !isNews(word) || AFFIRMING.has(word.hash)
}

/** They turn what they stand beside into something else. */
const TURNING = new Set(
  `aren cannot couldn didn doesn don false hardly hasn haven if isn never no none nor not nothing shouldn unless until wasn weren
   without won wouldn wrong`
    .split(/\s+/)
    .map(hashOf),
)

export function isTurning({ hash }: Word): boolean {
  return TURNING.has(hash)
}
