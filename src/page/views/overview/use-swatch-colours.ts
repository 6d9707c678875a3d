/**
 * The colours of a legend's swatches, for a canvas, which can't look them up itself: so that style sheets alone say what is what colour.
 * Read again when the scheme changes between light and dark.
 */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** `labels`: what is in the legend; others have other swatches, and until those are read there are no colours. */
export function useSwatchColours(
  labels: string,
): readonly [legend: RefObject<HTMLTableElement | null>, colours: readonly string[]] {
  const legend = useRef<HTMLTableElement>(null)
  const [read, setRead] = useState<{ readonly labels: string; readonly colours: readonly string[] }>()
  useLayoutEffect(() => {
    const readAgain = (): void => setRead({ labels, colours: coloursIn(legend.current) })
    readAgain()
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', readAgain)
    return () => scheme.removeEventListener('change', readAgain)
  }, [labels])
  return [legend, read?.labels === labels ? read.colours : []]
}

function coloursIn(legend: HTMLElement | null): string[] {
  return [...(legend?.querySelectorAll('[data-swatch]') ?? [])].map(
    (swatch) => getComputedStyle(swatch).backgroundColor,
  )
}
