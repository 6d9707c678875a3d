/** Over everything, where the server does not know this browser: how to get in. What was being written stays behind it. */
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { hasUnsaved } from '../leaving.ts'
import { isLockedOut, loadWorkspace } from '../state.ts'

export function LockedOut(): VNode {
  useUnlockedElsewhere()
  return (
    <main class="alone">
      <img src="/icon.svg" alt="" width="48" height="48" />
      <h1>This memory is locked</h1>
      <p>
        It opens with a link that only the person at its terminal has. The one that brought you here was used up, or
        “keepsake serve” has been started again since.
      </p>
      <p>
        Look at the terminal where <code>keepsake serve</code> runs: it prints a link that begins with{' '}
        <code>{location.origin}</code>. If it runs no longer, start it again.
      </p>
      {hasUnsaved() ? (
        <p>
          <strong>What you were writing is still in this tab.</strong> Open the link in another tab, then come back to
          this one.
        </p>
      ) : (
        <p>Nothing is lost: the memory is on its disk, not in this page.</p>
      )}
    </main>
  )
}

/** A link that is opened in another tab lets this one in too: they share the key. */
function useUnlockedElsewhere(): void {
  useEffect(() => {
    const retry = (): void => {
      loadWorkspace().then(
        () => {
          isLockedOut.value = false
        },
        // Still locked: this screen says so already.
        () => undefined,
      )
    }
    addEventListener('storage', retry)
    return () => removeEventListener('storage', retry)
  }, [])
}
