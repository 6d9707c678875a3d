/** What each provider over HTTP is given. Types only. */
import type { RetryOptions } from './retry.ts'

export interface ProviderOptions extends RetryOptions {
  readonly model: string
  /** Where the server is; default: the provider's own. `http://` or `https://`. */
  readonly baseUrl?: string
  /** Left out: none is sent, as most servers of one's own want it. */
  readonly apiKey?: string
  /** The variable that the key comes from, or should: for hints. */
  readonly keyVariable?: string
  readonly fetch?: typeof fetch
}
