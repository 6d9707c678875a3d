/** What a search of the memory answers: the hits, why each is there, and what was searched. Types only. */

import type { Condition } from '../model/condition.ts'
import type { Entry, Scope } from '../model/entry.ts'
import type { Kind } from '../model/kinds.ts'
import type { CallOptions } from '../ports/store.ts'

/** By words, by meaning, or by both. */
export type SearchMode = 'lexical' | 'semantic' | 'hybrid'

export interface SearchOptions extends CallOptions {
  /** How many hits at most: 1 to 100; default 5. */
  readonly limit?: number
  /** Default: every kind but identity. Entries of the history that say what an archive says are found only where it names history. */
  readonly kinds?: readonly Kind[]
  /** On `createdAt`: from this instant on. */
  readonly since?: string
  /** On `createdAt`: before this instant. */
  readonly until?: string
  /** On metadata; all must hold. */
  readonly where?: readonly Condition[]
  /** Hits below this score are left out: 0 to 1; default 0.3 for the mode semantic, else 0. */
  readonly minScore?: number
  /** About how long the hits' texts may be together; whole entries only, the best ones first. Default: no budget. */
  readonly budgetTokens?: number
  /** Default: hybrid where vectors can be made, else lexical. One that is named is kept to, or it is an error. */
  readonly mode?: SearchMode
  /** The mode if none is named and vectors are available; default hybrid. With `semantic`, entries without a vector are found by words. */
  readonly preferredMode?: 'semantic' | 'hybrid'
  /** What is searched for by meaning, where that is not the query: such as the whole message whose words it has. */
  readonly meant?: string
  /** With hybrid: how near in meaning a hit must be that has no word of the query: -1 to 1; default 0.3. */
  readonly minCosine?: number
  /** Adds `why` to each hit. */
  readonly explain?: boolean
}

export interface Found {
  readonly hits: readonly Hit[]
  readonly searched: Searched
  readonly warnings: readonly string[]
}

export interface Hit {
  readonly entry: Entry
  /**
   * 0 to 1: 1 for an exact name or alias; else with lexical the share of the best score that the query could reach, with semantic the
   * cosine, with hybrid both, weighed.
   */
  readonly score: number
  /** Where the query's words stand in `entry.content`: start and end, in UTF-16 units, in order, not overlapping. */
  readonly highlights: readonly Range[]
  /** Entries that say nearly the same, left out in favour of this one. */
  readonly alike: readonly string[]
  readonly why?: Why
}

export type Range = readonly [start: number, end: number]

/**
 * Each part of a score: `score` is `min(.999, (sum of words + sum of supports) × product of boosts / best)`, or 1 where `exact`.
 * Where meaning has a say, that is `byWords` once it is weighed, and `score` is `min(.999, byWords + meaning.score)`.
 */
export interface Why {
  /** The query is this entry's name or alias. */
  readonly exact?: 'name' | 'alias'
  readonly words: readonly WordPart[]
  readonly supports: readonly SupportPart[]
  readonly boosts: readonly BoostPart[]
  /** What the query could reach at most by its words. */
  readonly best: number
  /** What of the score comes from the words, and all that goes with them; missing where no vector had a say. */
  readonly byWords?: number
  /** How near it is in meaning; missing where no vector had a say. */
  readonly meaning?: MeaningPart
  readonly score: number
}

/** What one word, phrase or prefix of the query gave. */
export interface WordPart {
  /** As the query has it, such as `deploys`, `"smoke tests"` or `deploy*`. */
  readonly text: string
  /** As the index has it, such as `deploy`. */
  readonly term: string
  /** How often it stands in each field that has it: `{name: 1, content: 3}`. */
  readonly counts: Readonly<Record<string, number>>
  /** In how many of the searched entries it stands. */
  readonly documents: number
  readonly score: number
}

export interface SupportPart {
  /**
   * For a turn of a conversation, `neighbour`: the same words in the turns before and after it; `session`: in all the others;
   * `nearness`: the query's words stand close together in it.
   */
  readonly by: 'neighbour' | 'session' | 'nearness'
  readonly score: number
}

export interface MeaningPart {
  /** Of its nearest piece and the query, -1 to 1; missing where it has no vector yet. */
  readonly cosine?: number
  /** What of the score comes from it, and from how near its neighbours are. */
  readonly score: number
}

export interface BoostPart {
  readonly by: 'length' | 'recency' | 'kind'
  readonly factor: number
}

/** What was searched, and how the query was understood: for an empty answer the only thing there is to say. */
export interface Searched {
  /** As it was done. */
  readonly mode: SearchMode
  /**
   * With the modes semantic and hybrid: whose vectors these are, and how many entries have none yet; and how many get none because the
   * model does not take their text, where there are any. `searchedBy`: what compares them if the store keeps them, such as
   * `pgvector 0.8.0` or `Keepsake's exact scan`.
   */
  readonly vectors?: {
    readonly model: string
    readonly pending: number
    readonly refused?: number
    readonly searchedBy?: string
  }
  /** Why it went by words alone where it would have gone by meaning too: a sentence. */
  readonly wordsOnly?: string
  readonly query: string
  readonly understood: Understood
  readonly scopes: readonly Scope[]
  readonly kinds: readonly Kind[]
  readonly since?: string
  readonly until?: string
  readonly where?: readonly Condition[]
  /** Entries of these scopes. */
  readonly entries: number
  /** Of these, what the filters let through. Counted for an empty answer, and where it is to be explained. */
  readonly eligible?: number
  /**
   * Of what the filters let through: all that the query's words bring up, and of the hundred or so that are nearest in meaning those that
   * are near enough. By meaning alone, what scores enough. The limit does not change it.
   */
  readonly matched: number
  /** Hits that the budget had no room for. */
  readonly omitted: number
  /** Words that stand nowhere; for an empty answer, and where it is to be explained, with the nearest words that do. */
  readonly nearest: readonly { readonly text: string; readonly nearest: readonly string[] }[]
}

export interface Understood {
  readonly words: readonly string[]
  readonly phrases: readonly string[]
  readonly prefixes: readonly string[]
  readonly not: readonly string[]
  /** Words too common to search by. */
  readonly ignored: readonly string[]
  /** The query was longer than this many characters, and the rest was not read. */
  readonly cut?: number
}

/** Why an entry that was expected is not among the hits, or that it is. */
export interface WhyNot {
  readonly entry?: Entry
  readonly reason:
    | 'found'
    | 'not-there'
    | 'expired'
    | 'kind'
    | 'mirror'
    | 'since'
    | 'until'
    | 'where'
    | 'excluded'
    | 'phrase'
    | 'no-words'
    | 'no-vector'
    | 'far'
    | 'min-score'
    | 'alike'
    | 'limit'
    | 'budget'
  /** One or two sentences for a person: what kept it out, and what would bring it in. */
  readonly sentence: string
  /** Its place among all that matched, from 1. */
  readonly rank?: number
  readonly score?: number
  readonly why?: Why
  /** The entry that stands for it (`alike`, `mirror`). */
  readonly instead?: string
  /** What could not be read: what was expected may stand there. */
  readonly warnings: readonly string[]
}

/** What a model has before it already: entries of a session's window. Asked for only when something of the session is found. */
export interface AlreadyShown {
  readonly session: string
  readonly ids: () => Promise<ReadonlySet<string>>
}
