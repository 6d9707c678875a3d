/** What happened when: the days of an agent, the list of its sessions, or one of them, as the address says. */
import type { VNode } from 'preact'
import { NavLink } from '../../parts/nav-link.tsx'
import { href, route } from '../../route.ts'
import { Days } from './days.tsx'
import { SessionList } from './session-list.tsx'
import { SessionPage } from './session-page.tsx'

export function TimelineView(): VNode {
  const { agent, session, show } = route.value.query
  if (session !== undefined) {
    return (
      <div class="timeline">
        <SessionPage key={session} sessionKey={session} />
      </div>
    )
  }
  const isSessions = show === 'sessions'
  return (
    <div class="timeline">
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
