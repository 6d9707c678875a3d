/**
 * Every constant of the ranking, in one place: one setting for all memories, found on the dev sets of chats, claims, code and
 * abstracts (decisions 11 and 21 have the tables of what each brings). Optima are flat: none of these is worth an option.
 */
import type { Kind } from '../model/kinds.ts'

/** How soon more of the same word adds nothing. */
export const K1 = 1.5

/** In the order of the index's fields. */
export const FIELD_WEIGHTS = {
  name: 3,
  description: 2,
  headings: 2,
  tags: 2,
  content: 1,
  date: 1,
} as const

/**
 * Added to every length in tokens, so that two short texts are taken as about equally long: the same rule gives chats of short
 * turns a small length norm and collections of long texts a large one.
 */
export const LENGTH_GROUND = 20

/** The weight of a word one or two turns before or after, relative to a word of the turn itself. */
export const NEIGHBOUR_SHARES: readonly number[] = [0.25, 0.15]

/**
 * What the words of a question count for the entry that comes next, which is likely the answer unless the same one goes on; and
 * for the question itself.
 */
export const ANSWER_SHARE = 0.9
export const QUESTION_SHARE = 0.75

/** The maximum weight of a word anywhere else in the session. */
export const SESSION_SHARE = 0.3

/** How many tokens apart two words of the query may be and still be near each other. */
export const NEAR_TOKENS = 8

/** The most that nearness gives for each word, where texts are long; the longer they are, the more it tells. */
export const NEARNESS = 1.6
export const NEARNESS_LENGTH = 300

/** How soon more pairs of words that are near each other add nothing. */
export const NEARNESS_K1 = 1

/** Where lengths differ widely, a long text is held to be less to the point: the exponent of that, at most, and its growth. */
export const LENGTH_DAMPING = 0.3
export const LENGTH_DAMPING_POWER = 3

/** What is this week's weighs so much more; half of it after so many days. */
export const RECENCY = 0.04
export const RECENCY_HALF_DAYS = 30

/** What people keep on purpose weighs a little more than what was only said; by kind, 1 where it is not named. */
export const KIND_FACTORS: Partial<Readonly<Record<Kind, number>>> = {
  topic: 1.03,
  memory: 1.03,
  note: 1.03,
  fact: 1.03,
}

/**
 * How many of the best by their own words get a second look, with what supports them: more than one search may be asked for, so that
 * a larger limit only adds hits.
 */
export const CANDIDATES = 120
/** Where these say the same so often that hits are missing, or others have no place: so many times as many, up to so many. */
export const WIDER = 4
export const MOST_CANDIDATES = 2000
/** The share of the places that may go to what says the same as another, before others have too few. */
export const CROWDED = 0.25
/** How many of those are looked at for nearness. */
export const NEARNESS_CANDIDATES = 100

/** What meaning counts against words, where both have a say. */
export const MEANING_WEIGHT = 0.65

/** What the meaning of each of the turns before and after counts against a turn's own, and how many there are on each side. */
export const MEANING_NEIGHBOUR_SHARE = 0.5
export const MEANING_REACH = 2

/** What the own meaning of a turn counts that ends in a question. */
export const MEANING_QUESTION_SHARE = 0.5

/** How many of the nearest by meaning are looked at beside those by words: as many as one search may be asked for. */
export const MEANING_CANDIDATES = 100

/** What has no vector yet is taken to be as near as so many of the best by words are. */
export const USUAL_OF = 20

/** The least score of a search by meaning alone; with words, what has none of them must be so near. */
export const LEAST_COSINE = 0.3
