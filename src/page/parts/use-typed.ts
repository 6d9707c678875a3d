/** Text that is told of when typing pauses. What comes by the address replaces it, but for what was told from here: that may be outdated. */
import { useEffect, useRef, useState } from 'preact/hooks'

export interface Typed {
  readonly typed: string
  readonly type: (text: string) => void
  /** Without waiting for a pause. */
  readonly tellNow: () => void
}

export function useTyped(text: string, onText: (text: string) => void, pauseMs: number): Typed {
  const [typed, setTyped] = useState(text)
  const told = useRef(text)
  useEffect(() => {
    if (text === told.current) return
    told.current = text
    setTyped(text)
  }, [text])
  const tellNow = (): void => {
    if (typed === told.current) return
    told.current = typed
    onText(typed)
  }
  useEffect(() => {
    const timer = setTimeout(tellNow, pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return { typed, type: setTyped, tellNow }
}
