/** One entry in the list: what it is called, how it begins, its kind and when it was last written. */
import type { VNode } from 'preact'
import type { EntryRow } from '../../../api/contract.ts'
import { KindBadge } from '../../parts/kind-badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { route } from '../../route.ts'
import { browseHref, browseQuery } from './browse-query.ts'

/** The height of a row; it grows with the letters. */
export const ROW_REM = 4.75

export interface EntryListRowProps {
  /** `undefined`: it is on its way. */
  readonly row: EntryRow | undefined
  readonly isChosen: boolean
  readonly tabIndex: 0 | -1
}

export function EntryListRow({ row, isChosen, tabIndex }: EntryListRowProps): VNode {
  if (row === undefined) return <div class="entry-row is-missing" />
  const { sort } = browseQuery(route.value)
  const { name, key, excerpt, description } = row
  const title = name ?? key
  return (
    <NavLink
      class="entry-row"
      to={browseHref(route.value, { entry: row.id, new: undefined })}
      aria-current={isChosen ? 'true' : undefined}
      tabIndex={tabIndex}
    >
      {title === undefined ? (
        <span class="entry-row-text">
          <bdi>{description || excerpt || 'Without text'}</bdi>
        </span>
      ) : (
        <>
          <span class="entry-row-title">
            <bdi>{title}</bdi>
          </span>
          <span class="entry-row-excerpt">
            <bdi>{description || excerpt}</bdi>
          </span>
        </>
      )}
      <span class="entry-row-foot">
        <KindBadge kind={row.kind} />
        <Moment at={sort === 'created' ? row.createdAt : row.updatedAt} />
      </span>
    </NavLink>
  )
}
