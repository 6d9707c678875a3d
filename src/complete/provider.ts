/** What each provider over HTTP is given. */
import type { OptionNames } from '../model/options.ts'
import { RETRY_OPTIONS, type RetryOptions } from './retry.ts'

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

export const PROVIDER_OPTIONS: OptionNames<ProviderOptions> = {
  model: true,
  baseUrl: true,
  apiKey: true,
  keyVariable: true,
  fetch: true,
  ...RETRY_OPTIONS,
}
