/**
 * How a search goes, decided before it begins: by words, or by meaning with the query made a vector. A mode that is named is
 * kept to, or it is an error; where none is, whatever keeps meaning from having a say costs the hits by meaning and no more.
 */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { Embed, EmbedSource } from '../ports/embed.ts'
import type { SearchMode } from '../recall/found.ts'
import { type AskedRequest, callOf } from '../recall/request.ts'
import { saysSomething } from '../recall/says-something.ts'
import type { Meant } from '../recall/search-memory.ts'
import type { Meaning } from '../recall/vectors/meaning.ts'
import { withoutSyntax } from '../search/without-syntax.ts'
import type { MeaningSource } from './meaning-source.ts'
import { loadedInTime, queryInTime } from './query-meaning.ts'
import { RecentFailures } from './recent-failures.ts'
import type { SearchBy } from './settings.ts'

export interface Course {
  readonly mode: SearchMode
  readonly meant?: Meant
  /** Why it goes by words alone where it would have gone by meaning too. */
  readonly wordsOnly?: string
  readonly warnings: readonly string[]
}

export interface CoursePlace {
  readonly searchBy: SearchBy
  /** The past has no vectors. */
  readonly isPast: boolean
  readonly meaning: () => Promise<Meaning | undefined>
  /** `undefined`: there is no model. */
  readonly source: MeaningSource | undefined
}

/** How long a search waits. */
interface Patience {
  /** For the model, which takes a second or three where a machine is slow. */
  readonly loadMs: number
  /** For the vector of its query. */
  readonly queryMs: number
}

const WHERE_WORDS_WOULD_DO: Patience = { loadMs: 10_000, queryMs: 2000 }
const WHERE_A_MODE_IS_NAMED: Patience = { loadMs: 60_000, queryMs: 30_000 }
/** In UTF-16 units. Models read less, and servers refuse more. */
const MOST_MEANT = 4000
const BY_WORDS: Course = { mode: 'lexical', warnings: [] }
const NOT_YET = 'By words alone: the embedding model is not loaded yet.'
const SAYS_NOTHING = 'By words alone: the query has no letter or digit, so it has no meaning to go by.'

const failedQueries = new RecentFailures()
const failedLoading = new RecentFailures()
/** By the vectors that failed: those of one memory, where models are shared. */
const failedVectors = new RecentFailures()

export async function courseOf(asked: AskedRequest, place: CoursePlace): Promise<Course> {
  const { named } = asked
  const { searchBy, isPast, source } = place
  if (named === 'lexical') return BY_WORDS
  if (named !== undefined) {
    if (isPast) throw noPast(named)
    const course = await byMeaning(asked, place, WHERE_A_MODE_IS_NAMED)
    if (!course) throw noModel(named)
    return course
  }
  if (isPast || searchBy === 'words' || !source) return BY_WORDS
  if (searchBy === 'meaning too once loaded' && !source.found()?.loaded) return notLoaded(source.found())
  const failed = failuresOf(source).of(whatOf(source))
  if (failed) return withoutMeaning(failed, whatOf(source))
  try {
    return (await byMeaning(asked, place, WHERE_WORDS_WOULD_DO)) ?? BY_WORDS
  } catch (error) {
    asked.signal?.throwIfAborted()
    if (!fallsBack(error)) throw error
    failuresOf(source).add(whatOf(source), error)
    return withoutMeaning(error, whatOf(source))
  }
}

/** The course that is left where vectors failed after the search had begun; else that error. */
export function withoutVectors({ named }: AskedRequest, { meant }: Course, error: unknown): Course {
  if (!meant?.meaning.isObstacle(error)) throw error
  return unlessNamed(named, meant.meaning, error)
}

/** What takes its time to fail is not tried again with every search. What differs in its model may be mended the next moment. */
function unlessNamed(named: SearchMode | undefined, meaning: Meaning, obstacle: KeepsakeError): Course {
  if (named !== undefined) throw obstacle
  if (obstacle.code === 'TIMEOUT') failedVectors.add(meaning, obstacle)
  return withoutMeaning(obstacle, meaning)
}

/** What fails and is told of. Memories may share a model. */
function whatOf(source: MeaningSource): object {
  return source.found() ?? source
}

/** What could not be loaded in time may be there a moment later: then nothing has failed. */
function failuresOf(source: MeaningSource): RecentFailures {
  return source.found()?.loaded ? failedQueries : failedLoading
}

/** `undefined`: there is no model. */
async function byMeaning(
  asked: AskedRequest,
  { meaning: find }: CoursePlace,
  { loadMs, queryMs }: Patience,
): Promise<Course | undefined> {
  const { named, preferredMode } = asked
  const call = callOf(asked)
  const text = meantText(asked)
  const isSaid = saysSomething(text)
  const load = async (): Promise<{ meaning: Meaning; embed: Embed | undefined } | undefined> => {
    const meaning = await find()
    return meaning && { meaning, embed: isSaid ? await meaning.source.load() : undefined }
  }
  const loaded = await loadedInTime(load, loadMs, call)
  if (!loaded) return undefined
  const { meaning, embed } = loaded
  const failed = named === undefined ? failedVectors.of(meaning) : undefined
  if (failed) return withoutMeaning(failed, meaning)
  if (!embed) return { ...BY_WORDS, wordsOnly: SAYS_NOTHING }
  const vector = await queryInTime({ meaning, embed, text }, named !== 'semantic', queryMs, call)
  if (!vector) return { ...BY_WORDS, wordsOnly: notRead(embed) }
  for (const failures of [failedQueries, failedLoading]) failures.forget(meaning.source)
  return { mode: named ?? preferredMode, meant: { meaning, vector }, warnings: [] }
}

/**
 * Somebody else loads it, behind the answers. Where that failed, what is missing may be there by now, so it is looked for again
 * behind this search, for the next one.
 */
function notLoaded(source: EmbedSource | undefined): Course {
  const failure = source?.failure
  if (!source || !fallsBack(failure)) return { ...BY_WORDS, wordsOnly: NOT_YET }
  if (!failedLoading.of(source)) {
    failedLoading.add(source, failure)
    void source.load().catch(() => undefined) // how it fails stands in `failure` then
  }
  return withoutMeaning(failure, source)
}

function meantText({ meant, text }: AskedRequest): string {
  const said = (meant ?? withoutSyntax(text)).trim()
  return said.slice(0, MOST_MEANT).replace(/[\ud800-\udbff]$/, '')
}

function notRead({ model }: Embed): string {
  return `By words alone: ${model} reads mainly English, and does not tell texts like this query apart.`
}

const FALLS_BACK: readonly string[] = ['NO_EMBEDDINGS', 'MODEL', 'TIMEOUT']

function fallsBack(error: unknown): error is KeepsakeError {
  return isKeepsakeError(error) && FALLS_BACK.includes(error.code)
}

function withoutMeaning(error: KeepsakeError, what: object): Course {
  const wordsOnly = `By words alone: ${error.message}.`
  return { ...BY_WORDS, wordsOnly, warnings: warnOnce(what, wordsOnly, error) }
}

/** What was told of each. */
const told = new WeakMap<object, Set<string>>()

export function warnOnce(what: object, sentence: string, { hint }: KeepsakeError): readonly string[] {
  const sentences = told.get(what) ?? new Set()
  if (sentences.has(sentence)) return []
  told.set(what, sentences.add(sentence))
  return [hint === undefined ? sentence : `${sentence} ${hint}`]
}

function noModel(mode: SearchMode): KeepsakeError {
  return new KeepsakeError('NO_EMBEDDINGS', `mode ${mode}: this memory has no embedding model`, {
    hint: 'Search by words: mode lexical. Or set embedding_model in agent.yaml; a program gives openMemory an "embed".',
    data: { mode },
  })
}

function noPast(mode: SearchMode): KeepsakeError {
  return new KeepsakeError('UNSUPPORTED', `mode ${mode}: the past is searched by words`, {
    hint: 'Search by words: mode lexical.',
    data: { mode },
  })
}
