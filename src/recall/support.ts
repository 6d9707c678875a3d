/**
 * Support for a turn of a conversation by the turns around it: words of the query in its neighbours and in the rest of its session
 * count a little as if they were its own. Other entries get no support. It is added before saturation, word by word: a question's words
 * spread over two turns make the two as good as one that has them all, and a word that is there already gains nothing.
 */

import { saturated } from '../search/bm25.ts'
import type { Matches } from '../search/matches.ts'
import { answers, asks, COLUMN } from './entry-document.ts'
import { ANSWER_SHARE, K1, NEIGHBOUR_SHARES, QUESTION_SHARE, SESSION_SHARE } from './settings.ts'

export interface Support {
  readonly doc: number
  /** Points of its own words. */
  readonly words: number
  /** The same by the word's number in the query; missing where they are what the index gives. */
  readonly points?: readonly number[]
  readonly neighbour: number
  readonly session: number
}

/** For these documents and, where they have any, for their neighbours. `counts`: whether a document may support others. */
export function supportsOf(matches: Matches, docs: readonly number[], counts: (doc: number) => boolean): Support[] {
  const alone: Support[] = []
  const together: number[] = []
  for (const doc of docs) {
    if (matches.group(doc) !== 0) together.push(doc)
    else alone.push({ doc, words: matches.score(doc), neighbour: 0, session: 0 })
  }
  if (together.length === 0) return alone
  const surroundings = new Surroundings(matches, together, counts)
  return [...alone, ...surroundings.docs.map((doc) => surroundings.supportOf(doc))]
}

interface Neighbour {
  readonly doc: number
  readonly share: number
}

class Surroundings {
  /** Those asked for, and their neighbours. */
  readonly docs: readonly number[]
  readonly #importances: readonly number[]
  /** Each group's documents in their order. */
  readonly #groups: readonly (readonly number[])[]
  /** By document: its group's number from 1, and its place in the group. */
  readonly #groupOf: Uint32Array
  readonly #placeOf: Uint32Array
  readonly #rowOf: Uint32Array
  readonly #own: Float64Array
  readonly #turn: (doc: number) => number
  readonly #around = new Map<number, readonly Neighbour[]>()
  readonly #sums: Float64Array

  constructor(matches: Matches, docs: readonly number[], counts: (doc: number) => boolean) {
    this.#importances = matches.importances
    this.#turn = (doc) => matches.column(doc, COLUMN.turn)
    this.#groupOf = new Uint32Array(matches.handles)
    this.#placeOf = new Uint32Array(matches.handles)
    this.#groups = [...new Set(docs.map((doc) => matches.group(doc)))].map((group) =>
      matches.members(group).filter(counts),
    )
    this.#groups.forEach((members, n) => {
      members.forEach((doc, place) => {
        this.#groupOf[doc] = n + 1
        this.#placeOf[doc] = place
      })
    })
    const near = new Set(docs)
    for (const doc of docs) for (const { doc: other } of this.#neighbours(doc)) near.add(other)
    this.docs = [...near]
    // Their own neighbours have a say too, but are not asked for.
    const weighed = new Set(near)
    for (const doc of near) for (const { doc: other } of this.#neighbours(doc)) weighed.add(other)
    this.#rowOf = new Uint32Array(matches.handles)
    let row = 0
    for (const doc of weighed) this.#rowOf[doc] = ++row
    this.#own = matches.weights(this.#rowOf, row)
    this.#sums = matches.weights(this.#groupOf, this.#groups.length)
  }

  supportOf(doc: number): Support {
    const columns = this.#importances.length
    const own = ((this.#rowOf[doc] ?? 0) - 1) * columns
    const group = (this.#groupOf[doc] ?? 1) - 1
    const around = this.#neighbours(doc)
    const ownShare = asks(this.#turn(doc)) ? QUESTION_SHARE : 1
    const points: number[] = []
    let [words, neighbour, session] = [0, 0, 0]
    for (let column = 0; column < columns; column++) {
      const importance = this.#importances[column] ?? 0
      const weight = (this.#own[own + column] ?? 0) * ownShare
      let near = 0
      for (const { doc: other, share } of around) {
        near += share * (this.#own[((this.#rowOf[other] ?? 0) - 1) * columns + column] ?? 0)
      }
      // The rest of the session; a turn that is alone in its session gets no support.
      const rest = (this.#sums[group * columns + column] ?? 0) - (this.#own[own + column] ?? 0)
      const far = (SESSION_SHARE * rest) / (1 + rest)
      const alone = saturated(importance, weight, K1)
      const gained = saturated(importance, weight + near + far, K1) - alone
      words += alone
      points.push(alone)
      if (gained <= 0) continue
      neighbour += (gained * near) / (near + far)
      session += (gained * far) / (near + far)
    }
    return { doc, points, words, neighbour, session }
  }

  /** Asked for up to three times a document. */
  #neighbours(doc: number): readonly Neighbour[] {
    const known = this.#around.get(doc)
    if (known) return known
    const found: Neighbour[] = []
    const members = this.#groups[(this.#groupOf[doc] ?? 0) - 1] ?? []
    const place = this.#placeOf[doc] ?? 0
    for (let n = 0; n < NEIGHBOUR_SHARES.length; n++) {
      const share = NEIGHBOUR_SHARES[n] ?? 0
      const before = members[place - n - 1]
      const after = members[place + n + 1]
      if (before !== undefined) {
        const isAnswer = n === 0 && answers(this.#turn(doc), this.#turn(before))
        found.push({ doc: before, share: isAnswer ? ANSWER_SHARE : share })
      }
      // A question has no part in what was said before it.
      if (after !== undefined && !asks(this.#turn(after))) found.push({ doc: after, share })
    }
    this.#around.set(doc, found)
    return found
  }
}
