/** Asks once before an entry goes. */
import type { VNode } from 'preact'
import type { WrittenEntry } from '../../../api/contract.ts'
import type { Entry } from '../../../model/entry.ts'
import { ApiError, send } from '../../client.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useWrite } from '../../parts/use-write.ts'
import { go, route } from '../../route.ts'
import { agent, expectRevision } from '../../state.ts'
import { browseHref } from './browse-query.ts'
import { entryLabel } from './entry-label.ts'

export interface ForgetDialogProps {
  readonly entry: Entry
  /** True from the request to its answer; the page may learn that the entry is gone before the answer arrives. */
  readonly onSending: (isSending: boolean) => void
  readonly onClose: () => void
}

export function ForgetDialog({ entry, onSending, onClose }: ForgetDialogProps): VNode {
  const write = useWrite()
  const label = entryLabel(entry)
  const forget = async (): Promise<void> => {
    // What somebody else has written meanwhile is not what was meant.
    const query = { agent: agent.value, ...expectRevision(entry.revision) }
    onSending(true)
    const written = await write.send(
      () => send<WrittenEntry>('DELETE', `/entries/${entry.id}`, query),
      `Forgotten: “${label}”.`,
    )
    if (written instanceof ApiError) return onSending(false)
    onClose()
    // In its place: Back is not to lead to what is gone.
    go(browseHref(route.value, { entry: undefined }), { replace: true })
  }
  return (
    <Dialog title="Forget this entry?" onClose={onClose}>
      <p>
        “<bdi>{label}</bdi>” goes from {entry.scope === 'world' ? 'the memory of all agents' : 'the memory'}. You can
        undo that: right after it, or later in Changes.
      </p>
      {write.error && <Failure error={write.error} />}
      <div class="buttons">
        <button type="button" class="is-danger" disabled={write.isSending} onClick={forget}>
          Forget it
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  )
}
