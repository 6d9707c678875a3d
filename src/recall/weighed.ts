/** A document with its score and what the score is made of, on its way from one look to the next. Types, and the order of all. */
import type { Matches } from '../search/matches.ts'
import { COLUMN } from './entry-document.ts'
import type { BoostPart, MeaningPart, SupportPart } from './found.ts'
import type { Scored, Tie } from './top.ts'

export interface Weighed extends Scored {
  readonly parts: Parts
}

export interface Parts {
  /** What each word gave, where it is not what the index says. */
  readonly points?: readonly number[] | undefined
  readonly supports: readonly SupportPart[]
  readonly boosts: readonly BoostPart[]
  readonly best: number
  /** Where vectors had a say, what of the score comes from the words and what from these. */
  readonly byWords?: number
  readonly meaning?: MeaningPart
}

/** An exact name is 1, and nothing else is. */
export const BELOW_EXACT = 0.999

/** Between two of one score. */
export function newerFirst(matches: Matches): Tie {
  return (a, b) => {
    const [updatedA, updatedB] = [matches.column(a, COLUMN.updated), matches.column(b, COLUMN.updated)]
    return updatedA === updatedB ? matches.id(a) < matches.id(b) : updatedA > updatedB
  }
}
