/** The map as text: what was found, or what is in sight. The row that has the focus, or the mouse over it, is shown on the map. */
import type { VNode } from 'preact'
import type { Kind } from '../../../model/kinds.ts'
import { KindBadge } from '../../parts/kind-badge.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { href, route } from '../../route.ts'

export interface Place {
  readonly id: string
  readonly kind: Kind
  readonly label: string
  /** Of its point; missing where it has none. */
  readonly index?: number
}

export interface PlaceListProps {
  readonly label: string
  readonly total: number
  readonly place: (row: number) => Place | undefined
  readonly onTarget: (index: number | undefined) => void
}

const ROW_HEIGHT = 40

export function PlaceList({ label, total, place, onTarget }: PlaceListProps): VNode {
  return (
    <VirtualList
      label={label}
      total={total}
      rowHeight={ROW_HEIGHT}
      keyOf={(row) => place(row)?.id}
      row={(row, tabIndex) => {
        const one = place(row)
        return (
          one && (
            <NavLink
              class="map-place"
              to={href('browse', { entry: one.id, agent: route.value.query['agent'] })}
              tabIndex={tabIndex}
              onFocus={() => onTarget(one.index)}
              onMouseEnter={() => onTarget(one.index)}
              onMouseLeave={() => onTarget(undefined)}
              onBlur={() => onTarget(undefined)}
            >
              <KindBadge kind={one.kind} />
              <bdi>{one.label}</bdi>
              {one.index === undefined && <span class="hint">not on the map</span>}
            </NavLink>
          )
        )
      }}
    />
  )
}
