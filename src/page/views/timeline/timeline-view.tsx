/** What happened when: the days of an agent, the list of its sessions, or one of them, as the address says. */
import type { RefObject, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { NavLink } from '../../parts/nav-link.tsx'
import { href, route } from '../../route.ts'
import { Days } from './days.tsx'
import { SessionList } from './session-list.tsx'
import { SessionPage } from './session-page.tsx'

export function TimelineView(): VNode {
  const { agent, session, show } = route.value.query
  const top = useTop(session === undefined ? (show ?? 'days') : `session ${session}`)
  if (session !== undefined) {
    return (
      <div class="timeline" ref={top} tabIndex={-1}>
        <SessionPage key={session} sessionKey={session} />
      </div>
    )
  }
  const isSessions = show === 'sessions'
  return (
    <div class="timeline" ref={top} tabIndex={-1}>
      <header class="timeline-head">
        <h1>Timeline</h1>
        <nav class="timeline-ways" aria-label="Timeline">
          <NavLink to={href('timeline', { agent })} aria-current={isSessions ? undefined : 'true'}>
            Days
          </NavLink>
          <NavLink to={href('timeline', { agent, show: 'sessions' })} aria-current={isSessions ? 'true' : undefined}>
            Sessions
          </NavLink>
        </nav>
      </header>
      {isSessions ? <SessionList /> : <Days />}
    </div>
  )
}

/** What was clicked is gone with the page it stood on: the focus goes to the top of the next, as on a page that was newly loaded. */
function useTop(page: string): RefObject<HTMLDivElement | null> {
  const top = useRef<HTMLDivElement>(null)
  const last = useRef(page)
  useLayoutEffect(() => {
    if (last.current === page) return
    last.current = page
    top.current?.focus()
    scrollTo(0, 0)
  }, [page])
  return top
}
