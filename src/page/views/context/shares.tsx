/** How much each part takes of the whole: a bar for the eyes, and the same in numbers, each leading to its part. */
import type { VNode } from 'preact'
import type { PromptPart } from '../../../prompt/part.ts'
import { wholeText } from '../../parts/number-text.ts'
import { PART_NAMES, partId } from './part-names.ts'

export interface SharesProps {
  readonly parts: readonly PromptPart[]
  readonly tokens: number
}

export function Shares({ parts, tokens }: SharesProps): VNode {
  const cut = parts.filter((part) => part.cut).map(({ part }) => PART_NAMES[part].name)
  return (
    <section class="shares" aria-labelledby="shares">
      <h2 id="shares" class="unseen">
        Shares
      </h2>
      <p role="status">
        <strong>About {wholeText(tokens)} tokens</strong>
        {cut.length === 0 ? ', nothing cut' : `; cut to fit: ${cut.join(', ')}`}
      </p>
      <div class="shares-bar" aria-hidden="true">
        {parts.map(({ part, tokens: own }) => (
          <span key={part} class={`is-${part}`} style={{ flexGrow: own }} />
        ))}
      </div>
      <ul class="shares-list">
        {parts.map(({ part, tokens: own }) => (
          <li key={part}>
            <button type="button" class="is-quiet" onClick={() => document.getElementById(partId(part))?.focus()}>
              <span class={`share-name is-${part}`}>{PART_NAMES[part].name}</span>
              <span>
                {wholeText(own)} <span class="quiet">({shareText(own, tokens)})</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function shareText(own: number, all: number): string {
  return all === 0 ? '0%' : `${Math.round((100 * own) / all)}%`
}
