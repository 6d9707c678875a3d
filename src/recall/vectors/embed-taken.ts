/**
 * Vectors of texts, of which the model may not take every one: a batch that it refuses is halved until the text at fault is alone,
 * so that one text keeps no other from its vector. Where it takes nothing at all, that is no fault of a text, and thrown. So a text
 * is blamed only when it is refused again, right after the model has taken another.
 */
import { isKeepsakeError, type KeepsakeError } from '../../errors.ts'
import { abortable } from '../../model/abortable.ts'
import type { Embed } from '../../ports/embed.ts'

export interface Taken {
  /** By hash, as the texts are. */
  readonly vectors: Map<string, Float32Array>
  readonly refused: Map<string, Refusal>
}

/** Why a text has no vector. */
export interface Refusal {
  /** A sentence. */
  readonly reason: string
  /** Something else than the text may have been at fault. */
  readonly mayPass: boolean
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
  const made = (some: readonly string[]): Promise<readonly Float32Array[]> =>
    abortable(() => embed.embed(some, call), signal)
  /** Why it did not take them. */
  const take = async (some: readonly Text[]): Promise<KeepsakeError | undefined> => {
    try {
      const vectors = await made(some.map(([, text]) => text))
      for (const [at, [hash]] of some.entries()) taken.vectors.set(hash, vectors[at] as Float32Array) // one for each text: see Embed
      return undefined
    } catch (error) {
      signal?.throwIfAborted()
      if (!isRefusal(error)) throw error
      return error
    }
  }
  let isProved = false
  const halve = async (some: readonly Text[]): Promise<void> => {
    if (!(await take(some))) return
    const isAlone = some.length === 1
    if (isAlone || !isProved) await made([HARMLESS])
    isProved = true
    if (!isAlone) {
      const half = Math.ceil(some.length / 2)
      await halve(some.slice(0, half))
      return halve(some.slice(half))
    }
    const again = await take(some)
    if (!again) return
    const refusal = { reason: `${again.message}.`, mayPass: again.data['mayPass'] === true }
    for (const [hash] of some) taken.refused.set(hash, refusal)
  }
  await halve(texts)
  return taken
}

function isRefusal(error: unknown): error is KeepsakeError {
  return isKeepsakeError(error) && error.code === 'MODEL' && error.data['refused'] === true
}
