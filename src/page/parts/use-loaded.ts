/**
 * What a view asks the server for. The last answer stays in sight while the next is on its way, so that nothing flickers or jumps;
 * what is outdated is called off.
 */
import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../client.ts'
import { fail } from '../state.ts'

export interface Loaded<T> {
  readonly value: T | undefined
  /** Of the last try; `value` may still be there from before it. */
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  reload(): void
}

type State<T> = Omit<Loaded<T>, 'reload'>

/** Loads again when one of `inputs` is another one. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<State<T>>({ value: undefined, error: undefined, isLoading: true })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const outdated = new AbortController()
    setState((last) => ({ ...last, isLoading: true }))
    load(outdated.signal).then(
      (value) => {
        if (!outdated.signal.aborted) setState({ value, error: undefined, isLoading: false })
      },
      (cause: unknown) => {
        if (outdated.signal.aborted) return
        const error = asApiError(cause)
        if (error.status === 401) fail(error)
        setState(({ value }) => ({ value, error, isLoading: false }))
      },
    )
    return () => outdated.abort()
  }, [...inputs, round])
  return { ...state, reload: () => setRound((last) => last + 1) }
}

/** What else fails while loading is a defect of ours, and is shown in the same place. */
export function asApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  return new ApiError(0, { code: 'INTERNAL', message: cause instanceof Error ? cause.message : String(cause) })
}
