/** How large MEMORY.md is, which stands in every prompt, against the size from which on it is to be shortened. */
import type { VNode } from 'preact'
import type { Overview } from '../../../api/contract.ts'
import { wholeText } from '../../parts/number-text.ts'
import { Bar } from './bar.tsx'
import { Panel } from './panel.tsx'

export function MemorySize({ memory: { bytes, limit, tokens } }: { readonly memory: Overview['memory'] }): VNode {
  const text = `${wholeText(bytes)} of ${wholeText(limit)} bytes`
  const isFull = bytes >= limit
  return (
    <Panel title="MEMORY.md">
      <p>
        <strong>{text}</strong>
        <span class="quiet">, about {wholeText(tokens)} tokens of every prompt</span>
      </p>
      <Bar role="meter" label="Size of MEMORY.md" value={bytes} most={limit} text={text} isFull={isFull} />
      <p class="hint">
        {isFull
          ? 'It has reached its limit: the next consolidation asks the model to shorten it.'
          : 'From its limit on, consolidation asks the model to shorten it.'}
      </p>
    </Panel>
  )
}
