/** What there is for search by meaning here, in a line. Nothing is loaded and nobody is asked. */
import { foreignIn } from '../complete/foreign-in.ts'
import type { Config } from '../config/load-config.ts'
import { embedSource, missingKey } from '../embed/embed-source.ts'
import { miniLmPlaces } from '../embed/embeddings-folder.ts'
import { installedEngine } from '../embed/installed-engine.ts'
import type { EngineKind } from '../embed/minilm/engine.ts'

export interface EmbeddingsState {
  /** `null`: none is wanted. */
  readonly model: string | null
  /** Of the model on this machine; `null`: it is not installed. */
  readonly engine?: EngineKind | null
  readonly state: string
  /** Entries that have no vector yet; missing where that was not looked at. */
  readonly pending?: number
  /** Why those that are there can't be used: a sentence. */
  readonly problem?: string
}

export function embeddingsState({ values }: Config): EmbeddingsState {
  const chosen = values.embedding_model
  const model = embedSource(chosen, { env: process.env })?.model
  if (model === undefined) return { model: null, state: 'none' }
  if (typeof chosen !== 'string') {
    const foreign = foreignIn({ provider: 'openai', ...chosen }, process.env)
    const key = missingKey(chosen, process.env)
    const problems = [
      ...(key === undefined ? [] : [`it needs a key, and ${key} is not set`]),
      ...(foreign === undefined ? [] : [`not asked unattended: its ${foreign}`]),
    ]
    return { model, state: [model, ...problems].join('; ') }
  }
  const engine = installedEngine(miniLmPlaces().from)
  if (engine !== undefined) return { model, engine, state: `${model}, ${engine}` }
  return { model, engine: null, state: `${model} is not installed, recall goes by words: keepsake setup embeddings` }
}
