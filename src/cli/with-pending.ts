/** How far the vectors of this memory are. Loads no model; what can't be opened has other troubles, which are told elsewhere. */
import { isKeepsakeError } from '../errors.ts'
import type { Embeddings } from '../memory.ts'
import type { Context } from './command.ts'
import { counted } from './counted.ts'
import type { EmbeddingsState } from './embeddings-state.ts'

export async function withPending(state: EmbeddingsState, context: Pick<Context, 'open'>): Promise<EmbeddingsState> {
  if (state.model === null || state.engine === null) return state
  const found = await embeddingsIn(context)
  if (!found) return state
  const { pending, problem } = found
  if (problem !== undefined) return { ...state, problem, state: `${state.state}; ${problem}: keepsake embed` }
  const told = `${counted(pending, 'entry has', 'entries have')} no vector yet: keepsake embed`
  return { ...state, pending, state: pending === 0 ? state.state : `${state.state}; ${told}` }
}

async function embeddingsIn(context: Pick<Context, 'open'>): Promise<Embeddings | undefined> {
  try {
    const { memory } = await context.open()
    return await memory.embeddings()
  } catch (error) {
    if (isKeepsakeError(error)) return undefined
    throw error
  }
}
