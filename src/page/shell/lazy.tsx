/** A view that is loaded when it is first looked at, so that the others do not wait for its code. */
import type { FunctionComponent, VNode } from 'preact'
import { Failure } from '../parts/failure.tsx'
import { useLoaded } from '../parts/use-loaded.ts'

export function lazy(load: () => Promise<FunctionComponent>): FunctionComponent {
  return function LazyView(): VNode {
    // In an object: a function as a state would be called.
    const { value, error } = useLoaded(async () => ({ View: await load() }), [])
    if (value !== undefined) return <value.View />
    if (error === undefined) return <p class="loading">Loading…</p>
    return (
      <Failure error={error}>
        {/* A module that failed once is not asked for again by the same document. */}
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </Failure>
    )
  }
}
