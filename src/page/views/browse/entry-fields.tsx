/** The fields of an entry that can be written, as its kind has them. */
import type { VNode } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { Kind } from '../../../model/kinds.ts'
import { workspace } from '../../state.ts'
import type { Draft, DraftProblem } from './entry-draft.ts'
import { entryRights } from './entry-rights.ts'
import { saveByKeys } from './save-by-keys.ts'

export interface EntryFieldsProps {
  readonly kind: Kind
  readonly draft: Draft
  readonly problem: DraftProblem | undefined
  /** While it is sent: what was typed meanwhile would be part of neither. */
  readonly isReadOnly: boolean
  readonly onChange: (draft: Draft) => void
}

export function EntryFields({ kind, draft, problem, isReadOnly, onChange }: EntryFieldsProps): VNode {
  const { canEditText, hasAttributes, canExpire } = entryRights(kind, workspace.value?.soulEditable ?? false)
  const id = useId()
  const first = useRef<HTMLTextAreaElement & HTMLInputElement>(null)
  // Before the field is painted: afterwards somebody may already be typing in it.
  useLayoutEffect(() => focusAtStart(first.current), [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the fields inside.
    <div class="form" onKeyDown={saveByKeys}>
      {canEditText && (
        <div class="field">
          <label for={`${id}-text`}>Text</label>
          <textarea
            id={`${id}-text`}
            ref={first}
            class="is-source"
            readOnly={isReadOnly}
            rows={Math.min(24, Math.max(8, draft.content.split('\n').length + 2))}
            value={draft.content}
            onInput={({ currentTarget: { value } }) => onChange({ ...draft, content: value })}
          />
        </div>
      )}
      {hasAttributes && (
        <div class="field">
          <label for={`${id}-description`}>Description</label>
          <input
            id={`${id}-description`}
            ref={canEditText ? null : first}
            readOnly={isReadOnly}
            value={draft.description}
            onInput={({ currentTarget: { value } }) => onChange({ ...draft, description: value })}
          />
        </div>
      )}
      {hasAttributes && (
        <div class="field">
          <label for={`${id}-metadata`}>Metadata, as JSON</label>
          <textarea
            id={`${id}-metadata`}
            class="is-source"
            readOnly={isReadOnly}
            rows={Math.min(8, draft.metadata.split('\n').length + 1)}
            spellcheck={false}
            value={draft.metadata}
            aria-invalid={problem?.field === 'metadata'}
            aria-describedby={problem?.field === 'metadata' ? `${id}-problem` : undefined}
            onInput={({ currentTarget: { value } }) => onChange({ ...draft, metadata: value })}
          />
          {problem?.field === 'metadata' && (
            <p id={`${id}-problem`} class="problem" role="alert">
              {problem.problem}
            </p>
          )}
        </div>
      )}
      {canExpire && (
        <div class="field">
          <label for={`${id}-end`}>Ends</label>
          <input
            id={`${id}-end`}
            type="datetime-local"
            readOnly={isReadOnly}
            value={draft.expiresAt}
            aria-describedby={`${id}-end-hint`}
            onInput={({ currentTarget: { value } }) => onChange({ ...draft, expiresAt: value })}
          />
          <p class="hint" id={`${id}-end-hint`}>
            On the clocks of {workspace.value?.zone}. Empty: never.
          </p>
        </div>
      )}
    </div>
  )
}

/** A browser puts the cursor behind the text, and so shows the end of a long one. */
function focusAtStart(field: HTMLTextAreaElement | HTMLInputElement | null): void {
  if (field === null) return
  field.setSelectionRange(0, 0)
  field.scrollTop = 0
  field.focus()
}
