/** One entry, as it is now or was then: read, and where it is now, changed. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { OneEntry } from '../../../api/contract.ts'
import type { Entry } from '../../../model/entry.ts'
import { get } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { KindBadge } from '../../parts/kind-badge.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { route } from '../../route.ts'
import { agent, changed } from '../../state.ts'
import { browseHref } from './browse-query.ts'
import { EntryActions } from './entry-actions.tsx'
import { EntryEditor } from './entry-editor.tsx'
import { EntryFacts } from './entry-facts.tsx'
import { entryLabel } from './entry-label.ts'
import { EntryText } from './entry-text.tsx'
import { isOneScreen } from './use-is-wide.ts'

export interface EntryPaneProps {
  readonly id: string
  readonly asOf: string | undefined
}

export function EntryPane({ id, asOf }: EntryPaneProps): VNode {
  const { entry, error, isMissing, setWritten, reload } = useEntry(id, asOf)
  const [isEditing, setIsEditing] = useState(false)
  const [isForgetting, setIsForgetting] = useState(false)
  const isGone = isMissing && !isForgetting
  const heading = useFocusedHeading(entry !== undefined)
  const stopEditing = (): void => {
    setIsEditing(false)
    heading.current?.focus()
  }
  if (entry === undefined) {
    return (
      <div class="entry">
        <BackToList />
        {error === undefined ? (
          <p class="loading">Loading…</p>
        ) : (
          <Failure error={error}>
            <button type="button" onClick={reload}>
              Try again
            </button>
          </Failure>
        )}
      </div>
    )
  }
  return (
    <article class="entry">
      <BackToList />
      <header class="entry-head">
        <p class="entry-place">
          <KindBadge kind={entry.kind} />
          <span class="quiet">
            {entry.scope === 'world' ? 'world' : 'agent'}
            {entry.scope !== 'world' && (
              <>
                {' '}
                <bdi>{entry.scope}</bdi>
              </>
            )}
          </span>
        </p>
        <h2 ref={heading} tabIndex={-1}>
          <bdi>{entryLabel(entry)}</bdi>
        </h2>
        {entry.description !== '' && !isEditing && <p class="entry-description">{entry.description}</p>}
        {!isEditing && (
          <EntryActions
            entry={entry}
            isReadOnly={asOf !== undefined || isGone}
            onEdit={() => setIsEditing(true)}
            onForgetting={setIsForgetting}
            onWritten={setWritten}
          />
        )}
      </header>
      {error !== undefined && !isMissing && <Failure error={error} />}
      {isGone && !isEditing && (
        <p class="entry-gone" role="status">
          <strong>This entry is gone.</strong> What you see is what it was last.
        </p>
      )}
      {isEditing ? (
        <EntryEditor
          entry={entry}
          isGone={isGone}
          onSaved={(written) => {
            setWritten(written)
            stopEditing()
          }}
          onClose={stopEditing}
        />
      ) : (
        <>
          <EntryText content={entry.content} />
          <EntryFacts entry={entry} isReadOnly={asOf !== undefined || isGone} onWritten={setWritten} />
        </>
      )}
    </article>
  )
}

interface EntryNow {
  readonly entry: Entry | undefined
  readonly error: ReturnType<typeof useLoaded>['error']
  /** It was there, and is no longer. */
  readonly isMissing: boolean
  setWritten(entry: Entry): void
  reload(): void
}

/** As the server last told; after a write of ours, as that answered. */
function useEntry(id: string, asOf: string | undefined): EntryNow {
  const [written, setWritten] = useState<Entry | undefined>(undefined)
  const { value, error, reload } = useLoaded(
    (signal) => get<OneEntry>(`/entries/${encodeURIComponent(id)}`, { agent: agent.value, asOf }, signal),
    [id, agent.value, asOf, changed.value.count],
  )
  useEffect(() => setWritten(undefined), [value])
  const entry = written ?? value?.entry
  return {
    entry,
    error,
    isMissing: entry !== undefined && error?.failure.code === 'NOT_FOUND',
    setWritten: (now) => {
      setWritten(now)
      reload()
    },
    reload,
  }
}

/** Where the entry is a screen of its own, the list that had the focus is no longer there. */
function useFocusedHeading(isThere: boolean): { readonly current: HTMLHeadingElement | null } {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isThere && isOneScreen()) heading.current?.focus()
  }, [isThere])
  return heading
}

export function BackToList(): VNode {
  return (
    <NavLink class="back" to={browseHref(route.value, { entry: undefined, new: undefined })}>
      ← Back to the list
    </NavLink>
  )
}
