/** The entries that the left pane chose, in the order that is asked for. */
import type { VNode } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { go, route } from '../../route.ts'
import { agent, changed } from '../../state.ts'
import { browseHref, browseQuery, SORTS, type Sort } from './browse-query.ts'
import { EntryListRow, ROW_REM } from './entry-list-row.tsx'
import { type EntryFilter, EntryPages } from './entry-pages.ts'

const SORT_NAMES: Readonly<Record<Sort, string>> = { updated: 'Last changed', created: 'Newest', name: 'Name' }

export function EntryList(): VNode {
  const { scope, kind, sort, entry, asOf } = browseQuery(route.value)
  const pages = useEntryPages({ agent: agent.value, scope, kinds: kind, sort, asOf })
  const onRange = useCallback((from: number, to: number) => pages.show(from, to), [pages])
  const { total, error } = pages
  const rowHeight = useMemo(() => ROW_REM * remPixels(), [])
  return (
    <section class="browse-list" aria-label="Entries">
      <div class="browse-list-head">
        <p class="quiet small" role="status">
          {total !== undefined && `${wholeText(total)} ${total === 1 ? 'entry' : 'entries'}`}
        </p>
        <label class="unseen" for="sort">
          Sort by
        </label>
        <select
          id="sort"
          class="small"
          value={sort}
          onChange={({ currentTarget: { value } }) => go(browseHref(route.value, { sort: value }), { replace: true })}
        >
          {SORTS.map((one) => (
            <option key={one} value={one}>
              {SORT_NAMES[one]}
            </option>
          ))}
        </select>
        {asOf === undefined && (
          <NavLink class="button" to={browseHref(route.value, { new: '1', entry: undefined })}>
            New entry
          </NavLink>
        )}
      </div>
      {error !== undefined && (
        <Failure error={error}>
          <button type="button" onClick={() => pages.refresh()}>
            Try again
          </button>
        </Failure>
      )}
      {pages.warnings.length > 0 && <Warnings warnings={pages.warnings} />}
      {total === undefined && error === undefined && <p class="loading">Loading…</p>}
      {total === 0 && <NothingHere isPast={asOf !== undefined} />}
      {total !== undefined && total > 0 && (
        <VirtualList
          label="Entries"
          total={total}
          rowHeight={rowHeight}
          row={(index, tabIndex) => (
            <EntryListRow
              row={pages.rowAt(index)}
              tabIndex={tabIndex}
              isChosen={entry !== undefined && pages.rowAt(index)?.id === entry}
            />
          )}
          keyOf={(index) => pages.rowAt(index)?.id}
          onRange={onRange}
        />
      )}
    </section>
  )
}

/** As large as the browser is set to. */
function remPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
}

/** Of another filter, another list; the old one is called off. */
function useEntryPages(filter: EntryFilter): EntryPages {
  const [, setDrawn] = useState(0)
  const key = JSON.stringify(filter)
  const pages = useMemo(() => new EntryPages(JSON.parse(key), () => setDrawn((last) => last + 1)), [key])
  const { count } = changed.value
  useEffect(() => {
    pages.show(0, 1)
    return () => pages.close()
  }, [pages])
  useEffect(() => {
    if (count > 0 && (pages.total !== undefined || pages.error !== undefined)) pages.refresh()
  }, [pages, count])
  return pages
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }): VNode {
  return (
    <details class="browse-warnings">
      <summary>
        {warnings.length === 1 ? '1 file could not be read' : `${warnings.length} files could not be read`}
      </summary>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </details>
  )
}

function NothingHere({ isPast }: { readonly isPast: boolean }): VNode {
  const { scope, kind } = browseQuery(route.value)
  if (kind !== undefined || isPast) {
    return (
      <Empty>
        <p>Nothing here{kind === undefined ? '' : ` of the kind "${kind}"`}.</p>
      </Empty>
    )
  }
  return (
    <Empty>
      <p>{scope === 'world' ? 'Nothing that all agents share yet.' : 'Nothing is remembered here yet.'}</p>
      <p>
        An agent that is connected writes here by itself. By hand: <code>keepsake remember "…"</code>, or
      </p>
      <NavLink class="button" to={browseHref(route.value, { new: '1', entry: undefined })}>
        Write the first one
      </NavLink>
    </Empty>
  )
}
