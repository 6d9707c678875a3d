/** A text as it is in its file, character by character. */
import type { VNode } from 'preact'
import { Highlighted } from './highlighted.tsx'
import type { Range } from './marked-ranges.ts'

export interface SourceProps {
  readonly text: string
  /** In UTF-16 units, in order. */
  readonly highlights?: readonly Range[]
}

export function Source({ text, highlights = [] }: SourceProps): VNode {
  return (
    <pre class="source">
      <Highlighted text={text} ranges={highlights} />
    </pre>
  )
}
