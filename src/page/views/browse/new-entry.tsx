/** Something new to remember, by hand. */
import type { VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { NewEntry as NewEntryBody, WrittenEntry } from '../../../api/contract.ts'
import { isKind, KINDS, type Kind } from '../../../model/kinds.ts'
import { ApiError, send } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { useUnsaved } from '../../parts/use-unsaved.ts'
import { useWrite } from '../../parts/use-write.ts'
import { go, route } from '../../route.ts'
import { agent, workspace } from '../../state.ts'
import { browseHref, browseQuery } from './browse-query.ts'
import { BackToList } from './entry-pane.tsx'
import { KIND_MEANINGS, newKinds } from './new-kinds.ts'
import { saveByKeys } from './save-by-keys.ts'

export function NewEntry(): VNode {
  const kinds = workspace.value === undefined ? [] : newKinds(workspace.value, agent.value)
  const asked = browseQuery(route.value).kind
  const [kind, setKind] = useState<Kind>(asked !== undefined && kinds.includes(asked) ? asked : 'note')
  const [name, setName] = useState('')
  const [key, setKey] = useState('')
  const [content, setContent] = useState('')
  const write = useWrite()
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { naming } = KINDS[kind]
  const { query } = route.value
  const release = useUnsaved(
    name !== '' || key !== '' || content !== '',
    (to) => to.view !== 'browse' || KEEPS.some((one) => to.query[one] !== query[one]),
  )
  const add = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body: NewEntryBody = {
      kind,
      content,
      ...(naming === 'given' && name.trim() !== '' ? { name: name.trim() } : {}),
      ...(naming === 'key' ? { key: key.trim() } : {}),
    }
    const written = await write.send(
      () => send<WrittenEntry>('POST', '/entries', { agent: agent.value }, body),
      `Remembered as ${kind}.`,
    )
    if (written instanceof ApiError) return
    release()
    go(browseHref(route.value, { new: undefined, entry: written.entry.id }), { replace: true })
  }
  return (
    <div class="entry">
      <BackToList />
      <h2 ref={heading} tabIndex={-1}>
        New entry
      </h2>
      <form class="form entry-editor" aria-label="New entry" onSubmit={add} onKeyDown={saveByKeys}>
        <div class="field">
          <label for={`${id}-kind`}>Kind</label>
          <select
            id={`${id}-kind`}
            value={kind}
            disabled={write.isSending}
            aria-describedby={`${id}-kind-hint`}
            onChange={({ currentTarget: { value } }) => isKind(value) && setKind(value)}
          >
            {kinds.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <p class="hint" id={`${id}-kind-hint`}>
            {KIND_MEANINGS[kind]}
          </p>
        </div>
        {naming === 'given' && (
          <div class="field">
            <label for={`${id}-name`}>Name</label>
            <input
              id={`${id}-name`}
              value={name}
              readOnly={write.isSending}
              required={kind !== 'fact'}
              autocomplete="off"
              onInput={({ currentTarget: { value } }) => setName(value)}
            />
            {kind === 'fact' && <p class="hint">Without one it is named by its first words.</p>}
          </div>
        )}
        {naming === 'key' && (
          <div class="field">
            <label for={`${id}-key`}>Key</label>
            <input
              id={`${id}-key`}
              value={key}
              readOnly={write.isSending}
              required
              autocomplete="off"
              onInput={({ currentTarget: { value } }) => setKey(value)}
            />
          </div>
        )}
        <div class="field">
          <label for={`${id}-text`}>Text</label>
          <textarea
            id={`${id}-text`}
            class="is-source"
            rows={14}
            required
            value={content}
            readOnly={write.isSending}
            onInput={({ currentTarget: { value } }) => setContent(value)}
          />
        </div>
        {write.error && <Failure error={write.error} />}
        <div class="buttons">
          <button type="submit" class="is-primary" disabled={write.isSending}>
            Remember
          </button>
          <NavLink class="button" to={browseHref(route.value, { new: undefined })}>
            Cancel
          </NavLink>
          <span class="hint key-hint">Ctrl+Enter saves.</span>
        </div>
      </form>
    </div>
  )
}

/** While these are the same in the address, the form stays. */
const KEEPS = ['new', 'agent', 'asOf'] as const
