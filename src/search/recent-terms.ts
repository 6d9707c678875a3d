/**
 * The numbers of the terms that came up last, in front of a live segment's Map. Texts say the same few hundred words most of
 * the time, and the analyzer gives the same string for each: finding it here is a glance at a few of its characters and one
 * comparison of addresses, a fraction of a lookup in a Map of a hundred thousand. One table for the process, because
 * a segment is a small thing and there is one at a time that is written to.
 */
const PLACES = 16_384

const owners = new Uint32Array(PLACES)
const terms: string[] = new Array<string>(PLACES).fill('')
const numbers = new Uint32Array(PLACES)
let lastOwner = 0

export class RecentTerms {
  readonly #owner = ++lastOwner

  /** -1 where it is not among them. */
  get(term: string): number {
    const place = placeOf(term)
    return owners[place] === this.#owner && terms[place] === term ? (numbers[place] as number) : -1
  }

  set(term: string, number: number): void {
    const place = placeOf(term)
    owners[place] = this.#owner
    terms[place] = term
    numbers[place] = number
  }
}

/** Terms are not empty. */
function placeOf(term: string): number {
  const length = term.length
  const ends = Math.imul(term.charCodeAt(0), 0x9e3779b1) ^ Math.imul(term.charCodeAt(length - 1), 0x85ebca77)
  const middle =
    Math.imul(term.charCodeAt(length >>> 1), 0xc2b2ae3d) ^ Math.imul(term.charCodeAt(length >>> 2), 0x27d4eb2f)
  return ((ends ^ middle) + Math.imul(length, 0x2c1b3c6d)) >>> 18
}
