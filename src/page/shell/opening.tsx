/** Until the workspace is known: that it is on its way, or a way to try again. */
import type { VNode } from 'preact'
import { fail, hasFailedToOpen, loadWorkspace } from '../state.ts'

export function Opening(): VNode {
  const hasFailed = hasFailedToOpen.value
  return (
    <div class="opening">
      <h1 class={hasFailed ? undefined : 'unseen'}>{hasFailed ? 'The memory did not open' : 'Opening the memory'}</h1>
      {hasFailed ? (
        <button type="button" class="is-primary" onClick={() => loadWorkspace().catch(fail)}>
          Try again
        </button>
      ) : (
        <p class="loading">Opening the memory…</p>
      )}
    </div>
  )
}
