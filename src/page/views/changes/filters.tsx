/** Which changes are shown: whose, of which session, of which entry. */
import type { VNode } from 'preact'
import type { ChangeView } from '../../../api/contract.ts'
import { ORIGINS } from '../../../model/entry.ts'
import { type ChangesFilter, ORIGIN_NAMES } from './changes-filter.ts'
import { FilterField } from './filter-field.tsx'

export interface FiltersProps {
  readonly filter: ChangesFilter
  /** Those that are shown, for what an entry is called. */
  readonly changes: readonly ChangeView[]
  readonly onFilter: (patch: Partial<ChangesFilter>) => void
}

export function Filters({ filter, changes, onFilter }: FiltersProps): VNode {
  const { by, session, entry } = filter
  return (
    <search class="changes-filters">
      <label class="changes-filter">
        <span>Who</span>
        <select
          value={by ?? ''}
          onChange={(event) => onFilter({ by: ORIGINS.find((origin) => origin === event.currentTarget.value) })}
        >
          <option value="">Everybody</option>
          {ORIGINS.map((origin) => (
            <option key={origin} value={origin}>
              {ORIGIN_NAMES[origin]}
            </option>
          ))}
        </select>
      </label>
      <FilterField label="Session" value={session} shown={session} onValue={(value) => onFilter({ session: value })} />
      <FilterField
        label="Entry"
        value={entry}
        shown={entry === undefined ? undefined : labelOf(entry, changes)}
        onValue={(value) => onFilter({ entry: value })}
      />
    </search>
  )
}

function labelOf(entry: string, changes: readonly ChangeView[]): string {
  const touched = changes.flatMap((change) => change.touched)
  return touched.find(({ id }) => id === entry)?.label ?? entry
}
