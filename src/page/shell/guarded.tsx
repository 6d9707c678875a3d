/** Keeps a defect in one view from taking the whole page with it. */
import type { ComponentChildren, VNode } from 'preact'
import { useErrorBoundary } from 'preact/hooks'

export function Guarded({ children }: { readonly children: ComponentChildren }): VNode {
  const [defect, reset] = useErrorBoundary()
  if (defect === undefined) return <>{children}</>
  return (
    <div class="failure" role="alert">
      <h1>This view failed</h1>
      <p>That is a defect of Keepsake, not of your memory, which is as it was.</p>
      <p>
        <code>{defect instanceof Error ? defect.message : String(defect)}</code>
      </p>
      <button type="button" onClick={reset}>
        Show it again
      </button>
    </div>
  )
}
