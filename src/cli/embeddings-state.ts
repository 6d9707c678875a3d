/** What there is for search by meaning here, in a line. Nothing is loaded and nobody is asked. */
import { foreignIn } from '../complete/foreign-in.ts'
import type { Config } from '../config/load-config.ts'
import { embedSource } from '../embed/embed-source.ts'
import { miniLmPlaces } from '../embed/embeddings-folder.ts'
import { installedEngine } from '../embed/installed-engine.ts'
import type { EngineKind } from '../embed/minilm/engine.ts'

export interface EmbeddingsState {
  /** `null`: none is wanted. */
  readonly model: string | null
  /** Of the model on this machine; `null`: it is not installed. */
  readonly engine?: EngineKind | null
  readonly state: string
}

export function embeddingsState({ values }: Config): EmbeddingsState {
  const chosen = values.embedding_model
  const model = embedSource(chosen, { env: process.env })?.model
  if (model === undefined) return { model: null, state: 'none' }
  if (typeof chosen !== 'string') {
    const foreign = foreignIn({ provider: 'openai', ...chosen }, process.env)
    return { model, state: foreign === undefined ? model : `${model}; not asked unattended: its ${foreign}` }
  }
  const engine = installedEngine(miniLmPlaces().from)
  if (engine !== undefined) return { model, engine, state: `${model}, ${engine}` }
  return { model, engine: null, state: `${model} is not installed, recall goes by words: keepsake setup embeddings` }
}
