/** One part of what a model is given: to the letter, since a model reads no formatting. */
import type { VNode } from 'preact'
import type { PromptPart } from '../../../prompt/part.ts'
import { wholeText } from '../../parts/number-text.ts'
import { Source } from '../../parts/source.tsx'
import { PART_NAMES, partId } from './part-names.ts'

export function PartSection({ part: { part, text, tokens, cut } }: { readonly part: PromptPart }): VNode {
  const { name, is } = PART_NAMES[part]
  const id = partId(part)
  return (
    <section class="context-part" aria-labelledby={id}>
      <div class="context-part-head">
        <h2 id={id} tabIndex={-1} class={`share-name is-${part}`}>
          {name}
        </h2>
        <p class="quiet small">
          {is} About {wholeText(tokens)} {tokens === 1 ? 'token' : 'tokens'}.
          {cut && <strong> Cut to fit; the text says what is missing.</strong>}
        </p>
      </div>
      <Source text={text} />
    </section>
  )
}
