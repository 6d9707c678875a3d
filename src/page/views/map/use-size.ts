/** How large an element is by now, in pixels of the page. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Size } from './camera.ts'

export function useSize(): readonly [ref: RefObject<HTMLDivElement | null>, size: Size] {
  const element = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size>({ width: 1, height: 1 })
  useLayoutEffect(() => {
    const measured = element.current
    if (measured === null) return
    const measure = (): void => setSize({ width: measured.clientWidth, height: measured.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(measured)
    return () => observer.disconnect()
  }, [])
  return [element, size]
}
