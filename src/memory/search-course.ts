/**
 * How a search goes, decided before it begins: by words, or by meaning with the query made a vector. A mode that is named is
 * kept to, or it is an error; where none is, whatever keeps meaning from having a say costs the hits by meaning and no more.
 */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { EmbedSource } from '../ports/embed.ts'
import type { CallOptions } from '../ports/store.ts'
import type { SearchMode } from '../recall/found.ts'
import type { RecallIndex } from '../recall/recall-index.ts'
import type { AskedRequest } from '../recall/request.ts'
import type { Meant } from '../recall/search-memory.ts'
import type { Meaning } from '../recall/vectors/meaning.ts'
import { withoutSyntax } from '../search/without-syntax.ts'
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
  readonly index: RecallIndex
  readonly meaning: () => Promise<Meaning | undefined>
  /** `undefined`: there is no model. */
  readonly isLoaded: (() => boolean) | undefined
}

/** Pieces that one search embeds of what is pending, so that it waits a second at most. */
const MOST_PENDING = 64
/** In UTF-16 units. Models read less, and servers refuse more. */
const MOST_MEANT = 4000
const BY_WORDS: Course = { mode: 'lexical', warnings: [] }
const NOT_YET = 'By words alone: the embedding model is not loaded yet.'

export async function courseOf(asked: AskedRequest, place: CoursePlace): Promise<Course> {
  const { named, preferredMode } = asked
  const { searchBy, isPast } = place
  if (named === 'lexical') return BY_WORDS
  if (named !== undefined) {
    if (isPast) throw noPast(named)
    const meaning = await place.meaning()
    if (!meaning) throw noModel(named)
    return { mode: named, meant: await meantBy(asked, meaning, place), warnings: [] }
  }
  if (isPast || searchBy === 'words' || !place.isLoaded) return BY_WORDS
  if (searchBy === 'meaning too once loaded' && !place.isLoaded()) return { ...BY_WORDS, wordsOnly: NOT_YET }
  const meaning = await place.meaning()
  if (!meaning) return BY_WORDS
  try {
    return { mode: preferredMode, meant: await meantBy(asked, meaning, place), warnings: [] }
  } catch (error) {
    return withoutMeaning(error, meaning.source)
  }
}

async function meantBy(asked: AskedRequest, meaning: Meaning, { index, searchBy }: CoursePlace): Promise<Meant> {
  const call: CallOptions = asked.signal ? { signal: asked.signal } : {}
  await meaning.source.load(call)
  // Who loads the model behind the answers embeds behind them too.
  if (searchBy !== 'meaning too once loaded') {
    await index.inStep(() => undefined, { ...call, meaning })
    if (meaning.pending > 0) await meaning.embedPending({ ...call, most: MOST_PENDING })
  }
  return { meaning, vector: await meaning.queryVector(meantText(asked), call) }
}

function meantText({ meant, text }: AskedRequest): string {
  const said = (meant ?? withoutSyntax(text)).trim()
  return said.slice(0, MOST_MEANT).replace(/[\ud800-\udbff]$/, '')
}

const FALLS_BACK: readonly string[] = ['NO_EMBEDDINGS', 'MODEL', 'TIMEOUT']
/** Sources whose lack was told. */
const told = new WeakSet<EmbedSource>()

function withoutMeaning(error: unknown, source: EmbedSource): Course {
  if (!isKeepsakeError(error) || !FALLS_BACK.includes(error.code)) throw error
  const wordsOnly = `By words alone: ${error.message}.`
  const warnings = told.has(source) ? [] : [`${wordsOnly}${error.hint === undefined ? '' : ` ${error.hint}`}`]
  told.add(source)
  return { ...BY_WORDS, wordsOnly, warnings }
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
