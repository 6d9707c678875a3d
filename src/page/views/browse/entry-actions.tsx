/** What can be done to an entry. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Entry } from '../../../model/entry.ts'
import { NavLink } from '../../parts/nav-link.tsx'
import { href, route } from '../../route.ts'
import { workspace } from '../../state.ts'
import { entryRights } from './entry-rights.ts'
import { ForgetDialog } from './forget-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'

export interface EntryActionsProps {
  readonly entry: Entry
  readonly isReadOnly: boolean
  readonly onEdit: () => void
  readonly onForgetting: (isForgetting: boolean) => void
  readonly onWritten: (entry: Entry) => void
}

export function EntryActions({ entry, isReadOnly, onEdit, onForgetting, onWritten }: EntryActionsProps): VNode {
  const [asked, setAsked] = useState<'rename' | 'forget' | undefined>(undefined)
  const rights = entryRights(entry.kind, workspace.value?.soulEditable ?? false)
  const close = (): void => setAsked(undefined)
  return (
    <div class="entry-actions buttons">
      {!isReadOnly && rights.canEdit && (
        <button type="button" class="is-primary" onClick={onEdit}>
          Edit
        </button>
      )}
      {!isReadOnly && rights.canRename && (
        <button type="button" onClick={() => setAsked('rename')}>
          Rename
        </button>
      )}
      {!isReadOnly && rights.canForget && (
        <button type="button" onClick={() => setAsked('forget')}>
          Forget
        </button>
      )}
      <NavLink class="button is-quiet" to={href('changes', { entry: entry.id, agent: route.value.query['agent'] })}>
        Its changes
      </NavLink>
      {!isReadOnly && !rights.canForget && (
        <p class="hint">The identity is written in its file; agent.yaml may allow it here with soul_editable.</p>
      )}
      {asked === 'rename' && <RenameDialog entry={entry} onClose={close} onWritten={onWritten} />}
      {asked === 'forget' && <ForgetDialog entry={entry} onSending={onForgetting} onClose={close} />}
    </div>
  )
}
