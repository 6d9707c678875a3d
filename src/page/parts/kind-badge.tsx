/** Which kind an entry is of: its word and its colour, the word alone being enough. */
import type { VNode } from 'preact'
import type { Kind } from '../../model/kinds.ts'

export function KindBadge({ kind }: { readonly kind: Kind }): VNode {
  return <span class={`kind-badge kind-${kind}`}>{kind}</span>
}
