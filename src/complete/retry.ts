/**
 * A call and its further tries. What fails in passing is tried again until a piece of the text was handed on: from then on a second
 * try would say things twice. The caller's signal ends calls and waits at once, with its own reason.
 */
import { wholeNumber } from '../model/number.ts'
import type { OptionNames } from '../model/options.ts'
import { ModelFailure } from './model-failure.ts'
import { backOffMs, wait } from './retry-after.ts'

export interface RetryOptions {
  /** How many times a call is tried again; default 3. */
  readonly retries?: number
  /** How to wait between two tries: a clock of one's own. Rejects with the signal's reason when that aborts. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
}

export const RETRY_OPTIONS: OptionNames<RetryOptions> = { retries: true, wait: true }

const MOST_RETRIES = 1000

/** When a model is made: a number that is none would end no loop, or begin none. */
export function checkRetries({ retries = 0 }: RetryOptions): void {
  wholeNumber(retries, 'retries', 0, MOST_RETRIES)
}

export interface Attempt<T> {
  readonly run: () => Promise<T>
  readonly signal: AbortSignal | undefined
  /** Whether something was handed on that can't be taken back. */
  readonly isTold: () => boolean
}

export async function withRetries<T>(
  { run, signal, isTold }: Attempt<T>,
  { retries = 3, wait: pause = wait }: RetryOptions,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      signal?.throwIfAborted()
      return await run()
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof ModelFailure)) throw error
      if (!error.isPassing || isTold() || tries > retries) throw error.after(tries)
      await pause(error.retryAfterMs ?? backOffMs(tries), signal)
    }
  }
}
