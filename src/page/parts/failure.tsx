/** In place of what could not be had: what went wrong, and what to do about it. */
import type { ComponentChildren, VNode } from 'preact'
import type { ApiError } from '../client.ts'

export interface FailureProps {
  readonly error: ApiError
  /** Such as a button to try again. */
  readonly children?: ComponentChildren
}

export function Failure({ error, children }: FailureProps): VNode {
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{error.message}</strong>
      </p>
      {error.failure.hint !== undefined && <p>{error.failure.hint}</p>}
      {children}
    </div>
  )
}
