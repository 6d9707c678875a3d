/** Making vectors for what one agent sees, and telling how far that is. */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import { abortable } from '../model/abortable.ts'
import type { Store } from '../ports/store.ts'
import type { RecallIndex } from '../recall/recall-index.ts'
import { type KeptVectors, keepVectors } from '../recall/vectors/keep-vectors.ts'
import type { Meaning } from '../recall/vectors/meaning.ts'
import type { Embedded, EmbedPendingOptions, RefusedEntry } from '../recall/vectors/meaning-view.ts'
import { endingInTime } from './in-time.ts'

/** The time of a whole embedding is not limited; a signal ends it, and what was done is kept. */
export type EmbedOptions = Omit<EmbedPendingOptions, 'forMs'>

export interface Embeddings {
  /** `undefined`: this memory has none, and is searched by words. */
  readonly model: string | undefined
  /** In this process. */
  readonly loaded: boolean
  /** Entries that have vectors. */
  readonly entries: number
  /** Entries that have none yet, and will get them. */
  readonly pending: number
  /** Entries that have none because the model does not take their text; missing where this process knows of none. */
  readonly refused?: readonly RefusedEntry[]
  /** What compares the vectors if the store keeps them: `pgvector 0.8.0`, `Keepsake's exact scan`. */
  readonly searchedBy?: string
  /** Why the last try to make them failed: a sentence. */
  readonly problem?: string
}

/** What a memory searches. */
export interface Searched {
  place(): Promise<{ readonly index: RecallIndex }>
  meaning(): Promise<Meaning | undefined>
}

const PROBLEMS = new WeakMap<Meaning, string>()

/** After a search, embedding runs in slices of about this length. Each slice is saved, and then the process may exit. */
const SLICE_MS = 1000
const PAUSE_MS = 100
/** A call that is running when the slice ends may finish within this time. */
const HANGING_MS = 10_000

/** Until nothing is pending, or another process is at it. */
export async function embedMemory(searched: Searched, options: EmbedOptions): Promise<Embedded> {
  const meaning = await searched.meaning()
  if (!meaning) throw noSource()
  const { index } = await searched.place()
  return recordFailure(meaning, () => embedAll(meaning, index, options))
}

/** The same in slices, for entries that a search found without a vector. Between slices it does not keep the process alive. */
export async function embedInSlices(searched: Searched, meaning: Meaning, signal: AbortSignal): Promise<void> {
  const { index } = await searched.place()
  const limit = { withinMs: SLICE_MS + HANGING_MS, tooSlow: () => hanging(meaning), signal }
  await recordFailure(meaning, async () => {
    for (;;) {
      const before = await index.inStep(() => meaning.pending, { signal, meaning })
      const { embedded, pending } = await endingInTime(limit, (within) =>
        meaning.embedPending({ signal: within, forMs: SLICE_MS }),
      )
      if (pending === 0 || (embedded === 0 && pending >= before)) return
      await abortable(() => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS).unref()), signal)
    }
  })
}

/** Records why `work` failed, for `embeddingsOf`. */
async function recordFailure<T>(meaning: Meaning, work: () => Promise<T>): Promise<T> {
  try {
    const done = await work()
    PROBLEMS.delete(meaning)
    return done
  } catch (error) {
    if (isKeepsakeError(error)) PROBLEMS.set(meaning, error.message)
    throw error
  }
}

async function embedAll(meaning: Meaning, index: RecallIndex, options: EmbedOptions): Promise<Embedded> {
  const { signal } = options
  const call = signal ? { signal } : {}
  await meaning.open()
  for (let embedded = 0; ; ) {
    const before = await index.inStep(() => meaning.pending, { ...call, meaning })
    const pass = await meaning.embedPending(embedded === 0 ? options : { ...options, anew: false })
    embedded += pass.embedded
    // What was written meanwhile is seen by another look, for as long as that gets anywhere.
    if (pass.embedded === 0 || pass.pending >= before) {
      await index.save()
      return { ...pass, embedded }
    }
  }
}

/** Never loads a model. */
export async function embeddingsOf(searched: Searched): Promise<Embeddings> {
  const meaning = await searched.meaning()
  if (!meaning) return { model: undefined, loaded: false, entries: 0, pending: 0 }
  const { index } = await searched.place()
  await meaning.open()
  const { entries, pending, refused } = await index.inStep(
    () => ({ entries: meaning.entries, pending: meaning.pending, refused: meaning.refused }),
    { meaning },
  )
  const problem = meaning.obstacle?.message ?? PROBLEMS.get(meaning)
  const { model, loaded } = meaning.source
  const { searchedBy } = meaning
  return {
    ...{ model, loaded: loaded !== undefined, entries, pending },
    ...(refused.length === 0 ? {} : { refused }),
    ...(searchedBy === undefined ? {} : { searchedBy }),
    ...(problem === undefined ? {} : { problem }),
  }
}

/**
 * For a purge, which takes all that is derived with it: what puts the vectors of the other entries back. It must never keep a purge
 * from being done; what can't be put back is made anew.
 */
export async function vectorsBeforePurge(searched: Searched, store: Store): Promise<KeptVectors | undefined> {
  try {
    if (store.vectors) return undefined // these are no derived data: the store takes out what belongs to whom is purged
    const meaning = await searched.meaning()
    const kept = meaning && (await keepVectors(store, meaning.source.model))
    return kept && { putBack: () => kept.putBack().catch(passOver) }
  } catch (error) {
    return passOver(error)
  }
}

function passOver(error: unknown): undefined {
  if (!isKeepsakeError(error)) throw error
}

function hanging({ source }: Meaning): KeepsakeError {
  return new KeepsakeError('TIMEOUT', `${source.model} made no vectors for ${HANGING_MS / 1000} s`, {
    hint: 'Check whether its server is busy or not responding.',
  })
}

export function noSource(): KeepsakeError {
  return new KeepsakeError('NO_EMBEDDINGS', 'this memory has no embedding model', {
    hint: 'Set embedding_model in agent.yaml; a program gives openMemory an "embed".',
  })
}
