/** One write and what became of it. What failed is told where it was asked for, so that the text there stays and can be sent again. */
import { useState } from 'preact/hooks'
import type { WrittenEntry } from '../../api/contract.ts'
import type { ApiError } from '../client.ts'
import { fail, lookAgain, tell } from '../state.ts'
import { asApiError } from './use-loaded.ts'

export interface Write {
  readonly isSending: boolean
  /** Of the last try. */
  readonly error: ApiError | undefined
  /** `said`: what is told once it is done, with an "Undo" beside it. The answer is what was written, or why not. */
  send(request: () => Promise<WrittenEntry>, said: string): Promise<WrittenEntry | ApiError>
  forgetError(): void
}

export function useWrite(): Write {
  const [isSending, setIsSending] = useState(false)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  return {
    isSending,
    error,
    forgetError: () => setError(undefined),
    async send(request, said) {
      setIsSending(true)
      setError(undefined)
      try {
        const written = await request()
        // Also where nobody follows: what was just written is to be seen.
        lookAgain()
        tell(said, written.change === undefined ? {} : { undo: written.change })
        for (const warning of written.warnings) tell(warning)
        return written
      } catch (cause) {
        const failed = asApiError(cause)
        if (failed.status === 401) fail(failed)
        setError(failed)
        return failed
      } finally {
        setIsSending(false)
      }
    },
  }
}
