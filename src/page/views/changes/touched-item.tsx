/** What one change did to one entry. A long diff begins cut. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ChangeView, TouchedView } from '../../../api/contract.ts'
import { Diff } from '../../parts/diff.tsx'
import { EntryLink } from '../../parts/entry-link.tsx'
import { KindBadge } from '../../parts/kind-badge.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { href, route } from '../../route.ts'
import { touchedWord } from './change-words.ts'
import { FieldChanges } from './field-changes.tsx'
import { firstLines, lineCount } from './first-lines.ts'

const MOST_LINES = 6
/** A button in place of two lines would not be shorter. */
const SPARE_LINES = 2

export interface TouchedItemProps {
  readonly touched: TouchedView
  readonly change: ChangeView
  /** By now. */
  readonly isGone: boolean
}

export function TouchedItem({ touched, change, isGone }: TouchedItemProps): VNode {
  const { id, what, kind, label, hunks, isCut, fields } = touched
  const { query } = route.value
  return (
    <li class="touched">
      <p class="touched-head">
        <span class="touched-what">{touchedWord(touched, change)}</span>
        {/* What is gone has no page of its own any more. */}
        {what === 'removed' ? (
          <span class="entry-link">
            <KindBadge kind={kind} />
            <bdi>{label}</bdi>
          </span>
        ) : (
          <EntryLink id={id} label={label} kind={kind} {...(isGone ? { asOf: change.at } : {})} />
        )}
        {query['entry'] !== id && (
          <NavLink class="touched-changes" to={href('changes', { entry: id, agent: query['agent'] })}>
            all changes <span class="unseen">of {label}</span>
          </NavLink>
        )}
      </p>
      {fields.length > 0 && <FieldChanges fields={fields} />}
      {hunks.length > 0 && !isInLabel(touched) && <LongDiff touched={touched} />}
      {isCut && <p class="quiet small">The text is long: not all of what became of it is shown.</p>}
    </li>
  )
}

/** What is one short line is called by it: it need not be said twice. */
function isInLabel({ what, label, hunks }: TouchedView): boolean {
  const [first, ...others] = hunks.flatMap(({ lines }) => lines)
  return what !== 'changed' && others.length === 0 && first?.text.trim() === label
}

function LongDiff({ touched: { label, hunks } }: { readonly touched: TouchedView }): VNode {
  const [isOpen, setIsOpen] = useState(false)
  const count = lineCount(hunks)
  const isLong = count > MOST_LINES + SPARE_LINES
  return (
    <>
      <Diff hunks={isLong && !isOpen ? firstLines(hunks, MOST_LINES) : hunks} />
      {isLong && (
        <button type="button" class="is-quiet small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Show fewer lines' : `Show all ${count} lines`}
          <span class="unseen">of {label}</span>
        </button>
      )}
    </>
  )
}
