/** What was done and what failed, said once, with the way back beside it. What has gone wrong stays until it is put away. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { NavLink } from '../parts/nav-link.tsx'
import { dismiss, type Notice, notices, undo } from '../state.ts'

const SHOWN_MS = 10_000

export function Notices(): VNode {
  return (
    <section class="notices" aria-label="Notices" aria-live="polite">
      {notices.value.map((notice) => (
        <OneNotice key={notice.id} notice={notice} />
      ))}
    </section>
  )
}

function OneNotice({ notice }: { readonly notice: Notice }): VNode {
  const { id, text, hint, isError, undo: change, link } = notice
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isError || isHeld) return
    const timer = setTimeout(() => dismiss(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, isError, isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is done here but to wait while somebody reads.
    <div
      class={isError ? 'notice is-error' : 'notice'}
      role={isError ? 'alert' : undefined}
      onMouseEnter={() => setIsHeld(true)}
      onMouseLeave={() => setIsHeld(false)}
      onFocusIn={() => setIsHeld(true)}
      onFocusOut={() => setIsHeld(false)}
    >
      <p>
        {text}
        {hint !== undefined && <span class="hint">{hint}</span>}
        {link !== undefined && (
          <>
            {' '}
            <NavLink to={link.to}>{link.text}</NavLink>
          </>
        )}
      </p>
      {change !== undefined && (
        <button
          type="button"
          onClick={() => {
            putAway(id)
            void undo(change)
          }}
        >
          Undo
        </button>
      )}
      <button type="button" class="is-quiet" aria-label="Dismiss" onClick={() => putAway(id)}>
        ×
      </button>
    </div>
  )
}

/** The button that was pressed goes with it, and the focus is not to be lost with that. */
function putAway(id: number): void {
  dismiss(id)
  document.getElementById('main')?.focus({ preventScroll: true })
}
