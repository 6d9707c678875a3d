/** The way to one entry, from wherever it is mentioned. */
import type { VNode } from 'preact'
import type { Kind } from '../../model/kinds.ts'
import { href, route } from '../route.ts'
import { KindBadge } from './kind-badge.tsx'
import { NavLink } from './nav-link.tsx'

export interface EntryLinkProps {
  readonly id: string
  /** Its name, its key, or how it begins. */
  readonly label: string
  readonly kind?: Kind
  /** As it was then; missing: as it is. */
  readonly asOf?: string
}

export function EntryLink({ id, label, kind, asOf }: EntryLinkProps): VNode {
  return (
    <NavLink class="entry-link" to={href('browse', { entry: id, asOf, agent: route.value.query['agent'] })}>
      {kind !== undefined && <KindBadge kind={kind} />}
      {/* A name may hold marks that turn the direction of what follows it. */}
      <bdi>{label}</bdi>
    </NavLink>
  )
}
