/** One change: its number and time, who did it, what it touched, and what can be done about it. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ChangeView } from '../../../api/contract.ts'
import { NavLink } from '../../parts/nav-link.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { href, route } from '../../route.ts'
import { isUndo, whoText } from './change-words.ts'
import type { Undoing } from './take-back.ts'
import { TouchedItem } from './touched-item.tsx'
import type { Question } from './undo-question.tsx'

export interface ChangeItemProps {
  readonly change: ChangeView
  /** All that are loaded. */
  readonly byNumber: ReadonlyMap<number, ChangeView>
  /** The entries that were removed since. */
  readonly gone: ReadonlySet<string>
  readonly undo: (undoing: Undoing) => Promise<void>
  /** Where it is to be asked first. */
  readonly ask: (question: Question) => void
}

export function ChangeItem(props: ChangeItemProps): VNode {
  const { change, byNumber, gone } = props
  const { number, at, time, origin, touched, omitted, undoneBy, isPurge, isPartial } = change
  const { query } = route.value
  return (
    <li class={undoneBy === undefined ? 'change' : 'change is-undone'} id={`change-${number}`}>
      <div class="change-head">
        <h3>
          <span class="unseen">Change </span>
          {number}
        </h3>
        <p class="change-facts">
          <time dateTime={at}>{time}</time>
          <bdi>{whoText(change, byNumber)}</bdi>
          {origin.session !== undefined && (
            <NavLink to={href('changes', { ...query, session: origin.session })}>
              <bdi>session {origin.session}</bdi>
            </NavLink>
          )}
          {undoneBy !== undefined && <span class="change-undone">undone by {undoneBy}</span>}
        </p>
        <Actions {...props} />
      </div>
      <ul class="touched-list">
        {touched.map((one) => (
          <TouchedItem key={one.id} touched={one} change={change} isGone={gone.has(one.id)} />
        ))}
      </ul>
      {omitted > 0 && <p class="quiet small">and {wholeText(omitted)} more entries</p>}
      {isPurge && <p class="quiet small">Purged an entry. A purge can't be undone.</p>}
      {isPartial && (
        <p class="quiet small">It touched another agent's memory too, and can be undone only from there.</p>
      )}
    </li>
  )
}

function Actions({ change, byNumber, undo, ask }: ChangeItemProps): VNode {
  const { number, at, origin, undoneBy, found, isPurge, isPartial } = change
  const isRedo = undoneBy !== undefined || isUndo(change, byNumber)
  const { session } = origin
  const [isSending, setIsSending] = useState(false)
  const takeBack = async (): Promise<void> => {
    setIsSending(true)
    const changes = [undoneBy ?? number]
    await undo({ body: { changes }, what: `change ${number}`, isRedo })
    setIsSending(false)
  }
  return (
    <div class="change-actions">
      <NavLink class="button is-quiet" to={href('browse', { asOf: at, agent: route.value.query['agent'] })}>
        The memory then <span class="unseen">after change {number}</span>
      </NavLink>
      {session !== undefined && undoneBy === undefined && !isPurge && !isPartial && (
        <button
          type="button"
          class="is-quiet"
          onClick={() => ask({ undoing: { body: { session }, what: `the session ${session}`, isRedo: false } })}
        >
          Undo this session <span class="unseen">{session}</span>
        </button>
      )}
      {/* The same button for both ways, so that the focus stays where it is. What was merely found, nobody did. */}
      {!found && !isPurge && !isPartial && (
        <button type="button" aria-disabled={isSending} onClick={isSending ? undefined : takeBack}>
          {isRedo ? 'Redo' : 'Undo'} <span class="unseen">change {number}</span>
        </button>
      )}
    </div>
  )
}
