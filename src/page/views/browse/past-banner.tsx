/** While the past is shown: that it is the past, that nothing can be written there, and the way back. */
import type { VNode } from 'preact'
import { isDay, parseInstant } from '../../../model/time.ts'
import { Moment } from '../../parts/moment.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { href, route } from '../../route.ts'
import { browseHref } from './browse-query.ts'

export function PastBanner({ asOf }: { readonly asOf: string }): VNode {
  return (
    <section class="banner is-past" aria-label="The past">
      <p>
        <strong>
          This is the memory as of <Then asOf={asOf} />.
        </strong>{' '}
        It can be read, not changed.
      </p>
      <NavLink class="button" to={href('recall', { asOf, agent: route.value.query['agent'] })}>
        Search it
      </NavLink>
      <NavLink class="button" to={browseHref(route.value, { asOf: undefined })}>
        Back to now
      </NavLink>
    </section>
  )
}

/** What is neither a day nor an instant stays as it was asked: "3 days ago". */
function Then({ asOf }: { readonly asOf: string }): VNode {
  if (isDay(asOf)) return <>the end of {asOf}</>
  const at = parseInstant(asOf)
  return at === undefined ? <bdi>{asOf}</bdi> : <Moment at={at} isWhole />
}
