/** Browse: whose and which kind on the left, the entries in the middle, one of them on the right. On a phone one of them at a time. */
import type { RefObject, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { route } from '../../route.ts'
import { browseQuery } from './browse-query.ts'
import { EntryList } from './entry-list.tsx'
import { EntryPane } from './entry-pane.tsx'
import { NewEntry } from './new-entry.tsx'
import { PastBanner } from './past-banner.tsx'
import { ScopePane } from './scope-pane.tsx'
import { isOneScreen } from './use-is-wide.ts'

export function BrowseView(): VNode {
  const { entry, isNew, asOf } = browseQuery(route.value)
  const hasDetail = entry !== undefined || isNew
  const panes = useFocusBackInList(hasDetail)
  return (
    <div class={hasDetail ? 'browse fills-screen has-detail' : 'browse fills-screen'}>
      <h1 class="unseen">Browse</h1>
      {asOf !== undefined && <PastBanner asOf={asOf} />}
      <div class="browse-panes" ref={panes}>
        <ScopePane />
        <EntryList />
        <section class="browse-detail" aria-label="Entry">
          {isNew ? (
            <NewEntry />
          ) : entry === undefined ? (
            <Empty>
              <p>Choose an entry to read it here.</p>
            </Empty>
          ) : (
            <EntryPane key={`${entry} ${asOf}`} id={entry} asOf={asOf} />
          )}
        </section>
      </div>
    </div>
  )
}

/**
 * Where the entry was a screen of its own, the list is back as it was left: at the row that led away from it. So where the entry went and
 * took the focus along.
 */
function useFocusBackInList(hasDetail: boolean): RefObject<HTMLDivElement | null> {
  const panes = useRef<HTMLDivElement>(null)
  const hadDetail = useRef(hasDetail)
  useEffect(() => {
    const isFocusLost = document.activeElement === document.body
    if (hadDetail.current && !hasDetail && (isOneScreen() || isFocusLost)) {
      panes.current?.querySelector<HTMLElement>('.entry-row[tabindex="0"]')?.focus()
    }
    hadDetail.current = hasDetail
  }, [hasDetail])
  return panes
}
