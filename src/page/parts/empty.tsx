/** Where there is nothing to show: why, and what would bring something. */
import type { ComponentChildren, VNode } from 'preact'

export function Empty({ children }: { readonly children: ComponentChildren }): VNode {
  return <div class="empty">{children}</div>
}
