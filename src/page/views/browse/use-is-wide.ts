/** Whether there is room for three panes beside each other; browse.css has the same measure. */
import { useEffect, useState } from 'preact/hooks'

const wide = matchMedia('(min-width: 64rem)')

export function useIsWide(): boolean {
  const [isWide, setIsWide] = useState(wide.matches)
  useEffect(() => {
    const update = (): void => setIsWide(wide.matches)
    wide.addEventListener('change', update)
    return () => wide.removeEventListener('change', update)
  }, [])
  return isWide
}

/** Whether list and entry take turns. */
export function isOneScreen(): boolean {
  return matchMedia('(max-width: 47.99rem)').matches
}
