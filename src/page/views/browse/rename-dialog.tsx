/** Another name for an entry; the old one still leads to it. */
import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { EntryPatch, WrittenEntry } from '../../../api/contract.ts'
import type { Entry } from '../../../model/entry.ts'
import { ApiError, send } from '../../client.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useWrite } from '../../parts/use-write.ts'
import { agent, expectRevision } from '../../state.ts'

export interface RenameDialogProps {
  readonly entry: Entry
  readonly onClose: () => void
  readonly onWritten: (entry: Entry) => void
}

export function RenameDialog({ entry, onClose, onWritten }: RenameDialogProps): VNode {
  const [name, setName] = useState(entry.name ?? '')
  const write = useWrite()
  const id = useId()
  const rename = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body: EntryPatch = { name: name.trim(), ...expectRevision(entry.revision) }
    const written = await write.send(
      () => send<WrittenEntry>('PATCH', `/entries/${entry.id}`, { agent: agent.value }, body),
      `Renamed to “${name.trim()}”.`,
    )
    if (written instanceof ApiError) return
    onWritten(written.entry)
    onClose()
  }
  return (
    <Dialog title="Rename" onClose={onClose}>
      <form class="form" onSubmit={rename}>
        <div class="field">
          <label for={id}>Name</label>
          <input
            id={id}
            value={name}
            readOnly={write.isSending}
            required
            autocomplete="off"
            onInput={({ currentTarget: { value } }) => setName(value)}
          />
          <p class="hint">The name it has now stays as an alias, so that whoever knows it by that still finds it.</p>
        </div>
        {write.error && <Failure error={write.error} />}
        <div class="buttons">
          <button type="submit" class="is-primary" disabled={write.isSending || name.trim() === entry.name}>
            Rename
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
