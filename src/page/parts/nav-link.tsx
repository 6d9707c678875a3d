/** A link within the page: a plain click changes the view in place; with a key held, or in a new tab, it is a link like any other. */
import type { HTMLAttributes, VNode } from 'preact'
import { go } from '../route.ts'

type Attributes = Omit<HTMLAttributes<HTMLAnchorElement>, 'href' | 'onClick' | 'role'>

export interface NavLinkProps extends Attributes {
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
