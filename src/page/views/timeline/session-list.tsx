/** All sessions of an agent, the last spoken in first. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { SessionList as Sessions } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { agent, changed } from '../../state.ts'
import { SessionItem } from './session-item.tsx'

/** Rows that are drawn at once. */
const STEP = 100

export function SessionList(): VNode {
  const [shown, setShown] = useState(STEP)
  const { value, error } = useLoaded(
    (signal) => get<Sessions>('/sessions', { agent: agent.value }, signal),
    [agent.value, changed.value.count],
  )
  if (!value) return error ? <Failure error={error} /> : <p class="loading">Reading the sessions…</p>
  const { sessions } = value
  if (sessions.length === 0) {
    return (
      <Empty>
        <p>
          <strong>There are no sessions yet.</strong>
        </p>
        <p>A conversation becomes one with its first turn.</p>
      </Empty>
    )
  }
  return (
    <section class="sessions" aria-labelledby="sessions">
      <h2 id="sessions">
        {wholeText(sessions.length)} {sessions.length === 1 ? 'session' : 'sessions'}
      </h2>
      <ul class="day-items">
        {sessions.slice(0, shown).map((session) => (
          <SessionItem key={session.key} session={session} />
        ))}
      </ul>
      {shown < sessions.length && (
        <div class="timeline-more">
          <button type="button" onClick={() => setShown(shown + STEP)}>
            Show {Math.min(STEP, sessions.length - shown)} more
          </button>
        </div>
      )}
    </section>
  )
}
