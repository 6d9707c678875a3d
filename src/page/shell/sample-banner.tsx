/** Says that this memory is a made-up one, and removes it when somebody has seen enough. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { send } from '../client.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fail } from '../state.ts'
import { isSampleRemoved } from './sample-removed.tsx'

export function SampleBanner(): VNode {
  const [isAsked, setIsAsked] = useState(false)
  return (
    <section class="banner" aria-label="Sample">
      <p>
        <strong>This is a sample.</strong> Its agents and what they remember are made up, so that there is something to
        look at.
      </p>
      <button type="button" onClick={() => setIsAsked(true)}>
        Remove the sample
      </button>
      {isAsked && <RemovalDialog onClose={() => setIsAsked(false)} />}
    </section>
  )
}

function RemovalDialog({ onClose }: { readonly onClose: () => void }): VNode {
  const [isSending, setIsSending] = useState(false)
  const remove = async (): Promise<void> => {
    setIsSending(true)
    try {
      await send('POST', '/sample/remove')
      isSampleRemoved.value = true
    } catch (error) {
      setIsSending(false)
      fail(error)
    }
  }
  return (
    <Dialog title="Remove the sample?" onClose={onClose}>
      <p>All of it goes, also what you have written to it, and its server ends. That can't be undone.</p>
      <div class="buttons">
        <button type="button" class="is-danger" disabled={isSending} onClick={remove}>
          Remove it
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  )
}
