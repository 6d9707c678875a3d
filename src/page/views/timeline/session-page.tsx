/** One session: all that was said in it, and apart from the rest what a model is given of it now. */
import type { VNode } from 'preact'
import type { OneSession } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { href, route } from '../../route.ts'
import { agent, changed } from '../../state.ts'
import { OutsideTurns } from './outside-turns.tsx'
import { transcriptOf } from './transcript.ts'
import { WINDOW_ID, WindowTurns } from './window-turns.tsx'

export function SessionPage({ sessionKey }: { readonly sessionKey: string }): VNode {
  const { value, error, isLoading, reload } = useLoaded(
    (signal) => get<OneSession>(`/sessions/${encodeURIComponent(sessionKey)}`, { agent: agent.value }, signal),
    [agent.value, sessionKey, changed.value.count],
  )
  return (
    <>
      <header class="session-head">
        <div class="buttons">
          <NavLink
            class="button is-quiet"
            to={href('timeline', { agent: route.value.query['agent'], show: 'sessions' })}
          >
            All sessions
          </NavLink>
          <button type="button" class="is-quiet" onClick={() => document.getElementById(WINDOW_ID)?.focus()}>
            To the window
          </button>
          {/* What is only said is no change of the memory, and nobody tells of it. */}
          <button type="button" class="is-quiet" aria-disabled={isLoading} onClick={isLoading ? undefined : reload}>
            {isLoading ? 'Reading…' : 'Read it again'}
          </button>
        </div>
        <h1>
          Session <bdi>{sessionKey}</bdi>
        </h1>
        {value && <Facts session={value} />}
      </header>
      {error && <Failure error={error} />}
      {!value && !error && <p class="loading">Reading the session…</p>}
      {value && <Turns session={value} />}
    </>
  )
}

function Facts({ session: { createdAt, turns, earlier, broken } }: { readonly session: OneSession }): VNode {
  const count = turns.length + earlier
  return (
    <>
      <p class="quiet">
        {wholeText(count)} {count === 1 ? 'turn' : 'turns'},{' '}
        {createdAt === null ? (
          'begun nobody knows when: its first line can’t be read'
        ) : (
          <>
            begun <Moment at={createdAt} />
          </>
        )}
      </p>
      {broken > 0 && (
        <p class="session-broken">
          <strong>
            {broken} {broken === 1 ? 'line' : 'lines'} of its file can’t be read
          </strong>{' '}
          {broken === 1 ? 'and is passed over. It stays' : 'and are passed over. They stay'} in the file.
        </p>
      )}
    </>
  )
}

function Turns({ session }: { readonly session: OneSession }): VNode {
  const { outside, window } = transcriptOf(session)
  return (
    <>
      <OutsideTurns pieces={outside} earlier={session.earlier} />
      <WindowTurns pieces={window} archive={session.archive} />
    </>
  )
}
