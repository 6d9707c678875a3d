/** The page around its views: what every one of them stands in, and what is said whichever is shown. */
import './style.css'
import { Fragment, type FunctionComponent, type VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { route, type View } from './route.ts'
import { Banners } from './shell/banners.tsx'
import { Guarded } from './shell/guarded.tsx'
import { Header } from './shell/header.tsx'
import { lazy } from './shell/lazy.tsx'
import { LeaveDialog } from './shell/leave-dialog.tsx'
import { LockedOut } from './shell/locked-out.tsx'
import { Notices } from './shell/notices.tsx'
import { Opening } from './shell/opening.tsx'
import { isSampleRemoved, SampleRemoved } from './shell/sample-removed.tsx'
import { VIEW_NAMES } from './shell/view-names.ts'
import { followChanges, isLockedOut, isVisible, workspace } from './state.ts'
import { BrowseView } from './views/browse/browse-view.tsx'
import { ChangesView } from './views/changes/changes-view.tsx'
import { ContextView } from './views/context/context-view.tsx'
import { RecallView } from './views/recall/recall-view.tsx'

const VIEW_OF: Readonly<Record<View, FunctionComponent>> = {
  browse: BrowseView,
  recall: RecallView,
  timeline: lazy(async () => (await import('./views/timeline/timeline-view.tsx')).TimelineView),
  changes: ChangesView,
  context: ContextView,
  overview: lazy(async () => (await import('./views/overview/overview-view.tsx')).OverviewView),
  map: lazy(async () => (await import('./views/map/map-view.tsx')).MapView),
}

export function App(): VNode {
  const { view, query } = route.value
  const what = query['session'] ?? query['entry'] ?? query['q']
  const main = useRef<HTMLElement>(null)
  useFollowedChanges()
  useLayoutEffect(() => {
    document.title = [...(what === undefined ? [] : [what]), VIEW_NAMES[view], 'Keepsake'].join(' · ')
  }, [view, what])
  useFocusOnNewView(view, main)

  if (isSampleRemoved.value) return <SampleRemoved />
  const isLocked = isLockedOut.value
  const Shown = VIEW_OF[view]
  return (
    <Fragment>
      {isLocked && <LockedOut />}
      <div class="page" hidden={isLocked}>
        {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place on this page; only the address is not to tell of it. */}
        <a
          class="skip-link"
          href="#main"
          onClick={(event) => {
            event.preventDefault()
            main.current?.focus()
          }}
        >
          Skip to the content
        </a>
        <Header />
        <Banners />
        <main id="main" ref={main} tabIndex={-1}>
          {workspace.value === undefined ? (
            <Opening />
          ) : (
            <Guarded key={view}>
              <Shown />
            </Guarded>
          )}
        </main>
        <Notices />
        <LeaveDialog />
      </div>
    </Fragment>
  )
}

function useFollowedChanges(): void {
  const isClosed = workspace.value === undefined || isLockedOut.value || isSampleRemoved.value || !isVisible.value
  useEffect(() => {
    if (isClosed) return
    const stop = new AbortController()
    void followChanges(stop.signal)
    return () => stop.abort()
  }, [isClosed])
}

/** As a newly loaded page would have it; a view that has a better place for the focus takes it from here in an effect of its own. */
function useFocusOnNewView(view: View, main: { readonly current: HTMLElement | null }): void {
  const last = useRef(view)
  useLayoutEffect(() => {
    if (last.current === view) return
    last.current = view
    main.current?.focus()
    scrollTo(0, 0)
  }, [view, main])
}
