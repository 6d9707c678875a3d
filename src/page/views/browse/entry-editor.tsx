/**
 * Changes an entry. What is written stays here through every failure and every conflict, until it is saved or dropped on purpose; what
 * somebody else writes meanwhile is said at once, and is never overwritten unseen.
 */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { WrittenEntry } from '../../../api/contract.ts'
import type { Entry } from '../../../model/entry.ts'
import { ApiError, send } from '../../client.ts'
import { afterAsking } from '../../leaving.ts'
import { Failure } from '../../parts/failure.tsx'
import { Source } from '../../parts/source.tsx'
import { useUnsaved } from '../../parts/use-unsaved.ts'
import { useWrite } from '../../parts/use-write.ts'
import { go, route } from '../../route.ts'
import { agent, expectRevision, tell, workspace } from '../../state.ts'
import { browseHref } from './browse-query.ts'
import { Conflict } from './conflict.tsx'
import {
  changedFields,
  type Draft,
  type DraftProblem,
  draftOf,
  isProblem,
  isWritten,
  patchOf,
  rebased,
} from './entry-draft.ts'
import { EntryFields } from './entry-fields.tsx'
import { entryLabel } from './entry-label.ts'
import { GoneMeanwhile } from './gone-meanwhile.tsx'
import { OutdatedNote } from './outdated-note.tsx'

export interface EntryEditorProps {
  /** As it is now: another one than at first, where somebody else has written. */
  readonly entry: Entry
  readonly isGone: boolean
  readonly onSaved: (entry: Entry) => void
  readonly onClose: () => void
}

export function EntryEditor({ entry, isGone, onSaved, onClose }: EntryEditorProps): VNode {
  const zone = workspace.value?.zone ?? 'UTC'
  const [base, setBase] = useState(entry)
  const [draft, setDraft] = useState(() => draftOf(entry, zone))
  const [problem, setProblem] = useState<DraftProblem | undefined>(undefined)
  /** What is to be decided about: the entry as somebody else left it, or that it is gone. */
  const [conflict, setConflict] = useState<Entry | 'gone' | undefined>(undefined)
  const [beside, setBeside] = useState<Entry | undefined>(undefined)
  const write = useWrite()
  const isDirty = changedFields(draft, base, zone).length > 0
  const { query } = route.value
  const release = useUnsaved(
    isDirty,
    (to) => to.view !== 'browse' || KEEPS.some((name) => to.query[name] !== query[name]),
  )
  useEffect(() => {
    // Somebody brought it back.
    if (!isGone) setConflict((last) => (last === 'gone' ? undefined : last))
  }, [isGone])

  const save = async (revision: string): Promise<void> => {
    const patch = patchOf(draft, base, zone)
    if (isProblem(patch)) return mend(patch)
    setProblem(undefined)
    const written = await write.send(
      () =>
        send<WrittenEntry>(
          'PATCH',
          `/entries/${base.id}`,
          { agent: agent.value },
          { ...patch, ...expectRevision(revision) },
        ),
      `Saved “${entryLabel(base)}”.`,
    )
    if (!(written instanceof ApiError)) return onSaved(written.entry)
    const { code, current } = written.failure
    if (code === 'CONFLICT') decide(current ?? 'gone')
    if (code === 'NOT_FOUND') decide('gone')
  }

  const decide = (about: Entry | 'gone'): void => {
    write.forgetError()
    if (about === 'gone' || !isWritten(draft, base, about, zone)) {
      setConflict(about)
      return
    }
    tell(`“${entryLabel(about)}” is as you wrote it already.`)
    onSaved(about)
  }

  const mend = (found: DraftProblem): void => {
    setConflict(undefined)
    setProblem(found)
  }

  const goOn = (from: Entry): void => {
    setDraft(rebased(draft, base, from, zone))
    setBase(from)
    setBeside(from)
    setConflict(undefined)
    write.forgetError()
  }

  const goToNew = (saved: Entry): void => {
    release()
    go(browseHref(route.value, { entry: saved.id }), { replace: true })
  }

  const type = (next: Draft): void => {
    setDraft(next)
    setProblem(undefined)
  }

  // What is new may be my own save, of which the answer is on its way or was lost.
  const isAsWritten = changedFields(draft, entry, zone).length === 0
  const isOutdated = !write.isSending && (isGone || (entry.revision !== base.revision && !isAsWritten))

  if (conflict === 'gone') {
    return (
      <GoneMeanwhile
        base={base}
        draft={draft}
        onSaved={goToNew}
        onProblem={mend}
        onGoOn={() => setConflict(undefined)}
        onDrop={onClose}
      />
    )
  }
  if (conflict !== undefined) {
    return (
      <Conflict
        base={base}
        draft={draft}
        theirs={conflict}
        isSending={write.isSending}
        error={write.error}
        onKeepMine={() => save(conflict.revision)}
        onTakeTheirs={() => afterAsking(() => onSaved(conflict))}
        onGoOn={() => goOn(conflict)}
      />
    )
  }
  return (
    <form
      class="form entry-editor"
      aria-label="Edit the entry"
      onSubmit={(event) => {
        event.preventDefault()
        void save(base.revision)
      }}
    >
      <OutdatedNote
        isOutdated={isOutdated}
        now={entry}
        isGone={isGone}
        onShow={() => (isGone ? decide('gone') : isDirty ? decide(entry) : goOn(entry))}
      />
      <div class={beside === undefined ? undefined : 'beside'}>
        <EntryFields kind={base.kind} draft={draft} problem={problem} isReadOnly={write.isSending} onChange={type} />
        {beside !== undefined && (
          <section aria-label="What is there now">
            <h3>What is there now</h3>
            <Source text={beside.content} />
          </section>
        )}
      </div>
      {write.error && <Failure error={write.error} />}
      <div class="buttons">
        <button type="submit" class="is-primary" disabled={write.isSending || !isDirty}>
          Save
        </button>
        <button type="button" onClick={() => afterAsking(onClose)}>
          Cancel
        </button>
        <span class="hint key-hint">Ctrl+Enter saves.</span>
      </div>
    </form>
  )
}

/** While these are the same in the address, the editor stays. */
const KEEPS = ['entry', 'new', 'agent', 'asOf'] as const
