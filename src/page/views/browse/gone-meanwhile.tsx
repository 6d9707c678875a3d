/** The entry was removed while somebody was changing it: what they wrote can still become an entry. */
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { WrittenEntry } from '../../../api/contract.ts'
import type { Entry } from '../../../model/entry.ts'
import { ApiError, send } from '../../client.ts'
import { afterAsking } from '../../leaving.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Source } from '../../parts/source.tsx'
import { useWrite } from '../../parts/use-write.ts'
import { agent, workspace } from '../../state.ts'
import { type Draft, type DraftProblem, isProblem, newOf } from './entry-draft.ts'

export interface GoneMeanwhileProps {
  readonly base: Entry
  readonly draft: Draft
  /** As another entry, which is what there is now. */
  readonly onSaved: (entry: Entry) => void
  /** What was written can't be saved as it is. */
  readonly onProblem: (problem: DraftProblem) => void
  readonly onGoOn: () => void
  readonly onDrop: () => void
}

export function GoneMeanwhile({ base, draft, onSaved, onProblem, onGoOn, onDrop }: GoneMeanwhileProps): VNode {
  const write = useWrite()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const saveAnew = async (): Promise<void> => {
    const body = newOf(draft, base, { zone: workspace.value?.zone ?? 'UTC', nowMs: Date.now() })
    if (isProblem(body)) return onProblem(body)
    const written = await write.send(
      () => send<WrittenEntry>('POST', '/entries', { agent: agent.value }, body),
      'Saved as a new entry.',
    )
    if (written instanceof ApiError) return
    onSaved(written.entry)
  }
  return (
    <section class="conflict" aria-labelledby="conflict-title">
      <h3 id="conflict-title" ref={heading} tabIndex={-1}>
        This entry was removed while you were writing
      </h3>
      <p>Your text is still here.</p>
      {write.error && <Failure error={write.error} />}
      <div class="buttons">
        <button type="button" class="is-primary" disabled={write.isSending} onClick={saveAnew}>
          Save mine as a new entry
        </button>
        <button type="button" disabled={write.isSending} onClick={onGoOn}>
          Go on editing
        </button>
        <CopyButton label="Copy my text" text={draft.content} />
        <button type="button" disabled={write.isSending} onClick={() => afterAsking(onDrop)}>
          Drop it
        </button>
      </div>
      <h4>What you wrote</h4>
      <Source text={draft.content} />
    </section>
  )
}
