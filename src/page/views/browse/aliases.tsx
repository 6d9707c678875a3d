/** The other names of an entry: dropped and added here, also one that another entry has. */
import type { VNode } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import type { AliasRequest, WrittenEntry } from '../../../api/contract.ts'
import type { Entry } from '../../../model/entry.ts'
import { ApiError, send } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { useWrite } from '../../parts/use-write.ts'
import { agent } from '../../state.ts'

export interface AliasesProps {
  readonly entry: Entry
  readonly isReadOnly: boolean
  readonly onWritten: (entry: Entry) => void
}

export function Aliases({ entry, isReadOnly, onWritten }: AliasesProps): VNode {
  const [name, setName] = useState('')
  const write = useWrite()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const change = async (alias: string, mode: NonNullable<AliasRequest['mode']>): Promise<void> => {
    const body: AliasRequest = { alias, mode }
    const written = await write.send(
      () => send<WrittenEntry>('POST', `/entries/${entry.id}/aliases`, { agent: agent.value }, body),
      mode === 'drop' ? `“${alias}” is no alias any more.` : `“${alias}” is an alias now.`,
    )
    if (written instanceof ApiError) return
    onWritten(written.entry)
    // The button that dropped it went with it.
    if (mode === 'drop') field.current?.focus()
    else setName('')
  }
  if (isReadOnly) return <>{entry.aliases.join(', ') || 'none'}</>
  return (
    <div class="aliases">
      {entry.aliases.length > 0 && (
        <ul>
          {entry.aliases.map((alias) => (
            <li key={alias} class="alias">
              <bdi>{alias}</bdi>
              <button
                type="button"
                class="is-quiet"
                aria-label={`Drop the alias ${alias}`}
                disabled={write.isSending}
                onClick={() => change(alias, 'drop')}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void change(name.trim(), 'bind')
        }}
      >
        <label for={id} class="unseen">
          New alias
        </label>
        <input
          id={id}
          ref={field}
          value={name}
          readOnly={write.isSending}
          placeholder="New alias"
          autocomplete="off"
          required
          onInput={({ currentTarget: { value } }) => setName(value)}
        />
        <button type="submit" disabled={write.isSending || name.trim() === ''}>
          Add
        </button>
      </form>
      {write.error && (
        <Failure error={write.error}>
          {write.error.failure.code === 'NAME_TAKEN' && (
            <button type="button" disabled={write.isSending} onClick={() => change(name.trim(), 'take')}>
              Take it over
            </button>
          )}
        </Failure>
      )}
    </div>
  )
}
