/**
 * Vectors of texts, of which the model may not take every one: a batch that it refuses is halved until the text at fault is alone,
 * so that one text keeps no other from its vector. Where it takes nothing at all, that is no fault of a text, and thrown.
 */
import { isKeepsakeError, type KeepsakeError } from '../../errors.ts'
import type { Embed } from '../../ports/embed.ts'

export interface Taken {
  /** By hash, as the texts are. */
  readonly vectors: Map<string, Float32Array>
  /** Why a text has none: a sentence. */
  readonly refused: Map<string, string>
}

type Text = readonly [hash: string, text: string]

/** No model has a reason to refuse it. */
const HARMLESS = 'a word'

export async function embedTaken(
  embed: Embed,
  texts: readonly Text[],
  signal: AbortSignal | undefined,
): Promise<Taken> {
  const taken: Taken = { vectors: new Map(), refused: new Map() }
  const call = signal ? { signal } : {}
  let isProved = false
  const halve = async (some: readonly Text[]): Promise<void> => {
    signal?.throwIfAborted()
    try {
      const made = await embed.embed(
        some.map(([, text]) => text),
        call,
      )
      for (const [at, [hash]] of some.entries()) taken.vectors.set(hash, made[at] as Float32Array) // one for each text: see Embed
    } catch (error) {
      signal?.throwIfAborted()
      if (!isRefusal(error)) throw error
      if (!isProved) await embed.embed([HARMLESS], call)
      isProved = true
      const [first] = some
      if (some.length === 1 && first) return void taken.refused.set(first[0], `${error.message}.`)
      const half = Math.ceil(some.length / 2)
      await halve(some.slice(0, half))
      await halve(some.slice(half))
    }
  }
  await halve(texts)
  return taken
}

function isRefusal(error: unknown): error is KeepsakeError {
  return isKeepsakeError(error) && error.code === 'MODEL' && error.data['refused'] === true
}
