/** In place of what could not be had: what went wrong, and what to do about it. */
import type { ComponentChildren, VNode } from 'preact'
import type { ApiError } from '../client.ts'
import { hintOf } from '../hints.ts'

export interface FailureProps {
  readonly error: ApiError
  /** Such as a button to try again. */
  readonly children?: ComponentChildren
}

export function Failure({ error, children }: FailureProps): VNode {
  const hint = hintOf(error)
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{error.message}</strong>
      </p>
      {hint !== undefined && <p>{hint}</p>}
      {children}
    </div>
  )
}
