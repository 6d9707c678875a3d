/** The colours of the page, for a canvas, which knows no custom properties; read again when the scheme changes between light and dark. */
import { useEffect, useState } from 'preact/hooks'
import { KIND_NAMES, type Kind } from '../../../model/kinds.ts'
import { type Colour, colourOf } from './colour.ts'

export interface Palette {
  readonly kinds: Readonly<Record<Kind, Colour>>
  readonly surface: Colour
  readonly text: string
  readonly accent: string
  /** As a canvas takes it. */
  readonly font: string
}

export function usePalette(): Palette {
  const [palette, setPalette] = useState(readPalette)
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const readAgain = (): void => setPalette(readPalette())
    scheme.addEventListener('change', readAgain)
    return () => scheme.removeEventListener('change', readAgain)
  }, [])
  return palette
}

function readPalette(): Palette {
  const tokens = getComputedStyle(document.documentElement)
  const token = (name: string): string => tokens.getPropertyValue(`--${name}`).trim()
  const kinds = Object.fromEntries(KIND_NAMES.map((kind) => [kind, colourOf(token(`kind-${kind}`))]))
  return {
    kinds: kinds as Record<Kind, Colour>, // a colour for each of all kinds, by the line above
    surface: colourOf(token('sheet')),
    text: token('ink'),
    accent: token('accent'),
    font: `12px ${token('font')}`,
  }
}
