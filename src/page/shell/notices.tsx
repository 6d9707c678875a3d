/** What was done and what failed, said once, with the way back beside it. What has gone wrong stays until it is put away. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
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

function OneNotice({ notice: { id, text, hint, isError, undo: change } }: { readonly notice: Notice }): VNode {
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
      </p>
      {change !== undefined && (
        <button
          type="button"
          onClick={() => {
            dismiss(id)
            void undo(change)
          }}
        >
          Undo
        </button>
      )}
      <button type="button" class="is-quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
        ×
      </button>
    </div>
  )
}
