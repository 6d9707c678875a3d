/** Where the query is typed. It asks when typing pauses, or at once on Enter; text that comes by the address replaces what stands here. */
import type { VNode } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useTyped } from '../../parts/use-typed.ts'

const PAUSE_MS = 120

export interface SearchFieldProps {
  /** As it is searched for. */
  readonly text: string
  readonly onText: (text: string) => void
}

export function SearchField({ text, onText }: SearchFieldProps): VNode {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const { typed, type, tellNow } = useTyped(text, onText, PAUSE_MS)
  useEffect(() => field.current?.focus(), [])
  return (
    <form
      class="recall-field"
      onSubmit={(event) => {
        event.preventDefault()
        tellNow()
      }}
    >
      <label class="unseen" for={id}>
        Search the memory
      </label>
      <input
        ref={field}
        id={id}
        type="search"
        placeholder="Search the memory"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        enterkeyhint="search"
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </form>
  )
}
