/** Two have written the same entry: both texts, what parts them, and the choice. */
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { hunksOf, lineDiff } from '../../../history/line-diff.ts'
import type { Entry } from '../../../model/entry.ts'
import { Diff } from '../../parts/diff.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Source } from '../../parts/source.tsx'
import { workspace } from '../../state.ts'
import { changedFields, type Draft, draftOf } from './entry-draft.ts'
import { originText } from './origin-text.ts'

export interface ConflictProps {
  /** What the editor began with. */
  readonly base: Entry
  readonly draft: Draft
  readonly theirs: Entry
  readonly isSending: boolean
  readonly onKeepMine: () => void
  readonly onTakeTheirs: () => void
  readonly onGoOn: () => void
}

const FIELD_NAMES: Readonly<Record<keyof Draft, string>> = {
  content: 'Text',
  description: 'Description',
  metadata: 'Metadata',
  expiresAt: 'Ends',
}

export function Conflict({ base, draft, theirs, isSending, onKeepMine, onTakeTheirs, onGoOn }: ConflictProps): VNode {
  const zone = workspace.value?.zone ?? 'UTC'
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const now = draftOf(theirs, zone)
  const mine = changedFields(draft, base, zone)
  const contested = mine.filter((field) => draft[field] !== now[field])
  const isTextContested = contested.includes('content')
  return (
    <section class="conflict" aria-labelledby="conflict-title">
      <h3 id="conflict-title" ref={heading} tabIndex={-1}>
        Somebody else changed this entry while you were writing
      </h3>
      <p>
        By {originText(theirs.origin)}, <Moment at={theirs.updatedAt} />. Nothing of yours is saved yet, and nothing of
        theirs is overwritten.
        {contested.length === 0 && ' You both changed different things: keeping yours keeps theirs too.'}
      </p>
      <div class="buttons">
        <button type="button" class="is-primary" disabled={isSending} onClick={onKeepMine}>
          Keep mine
        </button>
        <button type="button" disabled={isSending} onClick={onTakeTheirs}>
          Take theirs
        </button>
        <button type="button" disabled={isSending} onClick={onGoOn}>
          Go on editing, theirs beside
        </button>
      </div>
      {isTextContested && (
        <>
          <h4>From theirs to yours</h4>
          <Diff hunks={hunksOf(lineDiff(now.content, draft.content))} />
        </>
      )}
      {contested
        .filter((field) => field !== 'content')
        .map((field) => (
          <div key={field} class="both">
            <Side title={`${FIELD_NAMES[field]}: there now`} text={now[field]} />
            <Side title={`${FIELD_NAMES[field]}: yours`} text={draft[field]} />
          </div>
        ))}
      <div class="both">
        <Side title="What is there now" text={now.content} />
        <Side title="What you wrote" text={mine.includes('content') ? draft.content : now.content} />
      </div>
    </section>
  )
}

function Side({ title, text }: { readonly title: string; readonly text: string }): VNode {
  return (
    <div>
      <h4>{title}</h4>
      <Source text={text} />
    </div>
  )
}
