/** Two have written the same entry: both texts, what parts them, and the choice. */
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { hunksOf, lineDiff } from '../../../history/line-diff.ts'
import type { Entry } from '../../../model/entry.ts'
import type { ApiError } from '../../client.ts'
import { Diff } from '../../parts/diff.tsx'
import { Failure } from '../../parts/failure.tsx'
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
  /** Why keeping mine failed, if for another reason than this. */
  readonly error: ApiError | undefined
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

export function Conflict(props: ConflictProps): VNode {
  const { base, draft, theirs, isSending, error, onKeepMine, onTakeTheirs, onGoOn } = props
  const zone = workspace.value?.zone ?? 'UTC'
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const now = draftOf(theirs, zone)
  const mine = changedFields(draft, base, zone)
  const changed = changedFields(now, base, zone)
  const contested = mine.filter((field) => changed.includes(field) && draft[field] !== now[field])
  const isTextContested = contested.includes('content')
  return (
    <section class="conflict" aria-labelledby="conflict-title">
      <h3 id="conflict-title" ref={heading} tabIndex={-1}>
        Somebody else changed this entry while you were writing
      </h3>
      <p>
        By {originText(theirs.origin)}, <Moment at={theirs.updatedAt} />
        <Changed names={[...changed.map((field) => FIELD_NAMES[field]), ...changedNames(base, theirs)]} />. Nothing of
        yours is saved yet, and nothing of theirs is overwritten.
        {contested.length === 0 && ' You both changed different things: keeping yours keeps theirs too.'}
      </p>
      {error && <Failure error={error} />}
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
        {mine.includes('content') && <Side title="What you wrote" text={draft.content} />}
      </div>
    </section>
  )
}

/** What they did to its names: those are not written in the editor, and so never contested. */
function changedNames(base: Entry, theirs: Entry): readonly string[] {
  const isSameSet =
    base.aliases.length === theirs.aliases.length && base.aliases.every((one) => theirs.aliases.includes(one))
  return [...(theirs.name === base.name ? [] : [`Name, now “${theirs.name}”`]), ...(isSameSet ? [] : ['Aliases'])]
}

function Changed({ names }: { readonly names: readonly string[] }): VNode | null {
  if (names.length === 0) return null
  return (
    <>
      . Changed there: <bdi>{names.join('; ')}</bdi>
    </>
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
