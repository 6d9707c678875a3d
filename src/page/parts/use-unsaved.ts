/** While a form has text that nobody saved: whoever would leave it behind is asked first. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type IsLost, keepUnsaved } from '../leaving.ts'

/** The answer ends it at once: for a form that is saved and leads elsewhere before it is drawn again. */
export function useUnsaved(isDirty: boolean, isLost: IsLost): () => void {
  const latest = useRef(isLost)
  latest.current = isLost
  const release = useRef<() => void>(() => undefined)
  // With the drawing and not after it: whoever is quick is asked too.
  useLayoutEffect(() => {
    if (!isDirty) return
    release.current = keepUnsaved((to) => latest.current(to))
    return () => release.current()
  }, [isDirty])
  return () => release.current()
}
