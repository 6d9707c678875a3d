/** Which model makes vectors, as `embedding_model` of `agent.yaml` says it. Types only. */

/** A server that speaks the API of OpenAI's embeddings; `null` is "what is usual". */
export interface EmbeddingModel {
  readonly model: string
  readonly base_url: string | null
  /** The variable that holds the key. */
  readonly api_key_env: string | null
  readonly dimensions: number | null
}
