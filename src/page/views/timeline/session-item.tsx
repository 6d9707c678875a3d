/** A session as a span of time: when it began, when it was last spoken in, and how much was said. */
import type { VNode } from 'preact'
import type { SessionRow } from '../../../api/contract.ts'
import { localTime } from '../../../model/time.ts'
import { Moment } from '../../parts/moment.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { href, route } from '../../route.ts'
import { workspace } from '../../state.ts'

export interface SessionItemProps {
  /** When it was last spoken in, where it stands among others of its day. */
  readonly time?: string
  readonly session: SessionRow
}

export function SessionItem({ time, session }: SessionItemProps): VNode {
  const { key, createdAt, lastAt, turns, problem } = session
  return (
    <li class="day-item is-session">
      {time !== undefined && <time>{time}</time>}
      <div class="session-row">
        <NavLink to={href('timeline', { agent: route.value.query['agent'], session: key })}>
          <span class="session-badge">session</span>
          <bdi>{key}</bdi>
        </NavLink>
        <span class="hint">
          {turns} {turns === 1 ? 'live turn' : 'live turns'}, <Span from={createdAt} to={lastAt} />
        </span>
        {problem !== undefined && <span class="session-problem">{problem}</span>}
      </div>
    </li>
  )
}

function Span({ from, to }: { readonly from: string | null; readonly to: string | null }): VNode {
  if (from === null)
    return to === null ? (
      <>begun nobody knows when</>
    ) : (
      <>
        until <Moment at={to} />
      </>
    )
  if (to === null || to === from) return <Moment at={from} />
  const zone = workspace.value?.zone ?? 'UTC'
  const [start, end] = [localTime(from, zone), localTime(to, zone)]
  return (
    <>
      <Moment at={from} /> to {start.day === end.day ? <time dateTime={to}>{end.time}</time> : <Moment at={to} />}
    </>
  )
}
