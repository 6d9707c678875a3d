/** A text with its ranges marked. */
import type { ComponentChild, VNode } from 'preact'
import { piecesOf, type Range } from './marked-ranges.ts'

export interface HighlightedProps {
  readonly text: string
  readonly ranges: readonly Range[]
  /** Where in the ranges' text this one begins. */
  readonly offset?: number
}

export function Highlighted({ text, ranges, offset = 0 }: HighlightedProps): VNode {
  const children: ComponentChild[] = piecesOf(text, ranges, offset).map(({ text, isMarked }) =>
    isMarked ? <mark>{text}</mark> : text,
  )
  return <>{children}</>
}
