/** While the past is shown: that it is the past, that nothing can be written there, and the way back. */
import type { VNode } from 'preact'
import { NavLink } from '../../parts/nav-link.tsx'
import { route } from '../../route.ts'
import { browseHref } from './browse-query.ts'

export function PastBanner({ asOf }: { readonly asOf: string }): VNode {
  return (
    <section class="banner is-past" aria-label="The past">
      <p>
        <strong>This is the memory as of {asOf}.</strong> It can be read, not changed.
      </p>
      <NavLink class="button" to={browseHref(route.value, { asOf: undefined })}>
        Back to now
      </NavLink>
    </section>
  )
}
