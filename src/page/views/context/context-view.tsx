/** What a model would be given now, before it answers: every part in order, with what each takes of the whole. Reads only. */
import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import type { ContextAnswer } from '../../../api/contract.ts'
import { send } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { agent, changed } from '../../state.ts'
import { PartSection } from './part-section.tsx'
import { RecallNote } from './recall-note.tsx'
import { Shares } from './shares.tsx'
import { useSettled } from './use-settled.ts'

const PAUSE_MS = 200

/** Not in the address, for which it may be too long; it stays while the page does. */
const typed: Signal<string> = signal('')

export function ContextView(): VNode {
  const fieldId = useId()
  const message = useSettled(typed.value, PAUSE_MS)
  const whose = agent.value
  const { value, error } = useLoaded(
    (signal) => send<ContextAnswer>('POST', '/context', { agent: whose }, { message }, signal),
    [whose, message, changed.value.count],
  )
  return (
    <div class="context">
      <div>
        <h1>Context</h1>
        <p class="quiet">What a model is given of this memory before it answers.</p>
      </div>
      <div class="field">
        <label for={fieldId}>What the user just said</label>
        <textarea
          id={fieldId}
          rows={2}
          placeholder="when do we deploy?"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
      </div>
      {error !== undefined && <Failure error={error} />}
      {value === undefined && error === undefined && <p class="loading">Loading…</p>}
      {value !== undefined && <Given context={value} message={message} />}
    </div>
  )
}

function Given({ context, message }: { readonly context: ContextAnswer; readonly message: string }): VNode {
  const { parts, tokens, warnings } = context
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="context-warning">
          {warning}
        </p>
      ))}
      <Shares parts={parts} tokens={tokens} />
      {parts.map((part) => (
        <PartSection key={part.part} part={part} />
      ))}
      {!parts.some(({ part }) => part === 'recall') && <RecallNote message={message} />}
    </>
  )
}
