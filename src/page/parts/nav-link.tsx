/** A link within the page: a plain click changes the view in place; with a key held, or in a new tab, it is a link like any other. */
import type { AnchorHTMLAttributes, VNode } from 'preact'
import { go } from '../route.ts'

export interface NavLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'onClick'> {
  /** As `href()` of route.ts makes it. */
  readonly to: string
}

export function NavLink({ to, ...rest }: NavLinkProps): VNode {
  const onClick = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(to)
  }
  return <a {...rest} href={to} onClick={onClick} />
}
