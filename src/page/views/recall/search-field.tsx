/** Where the query is typed. It asks when typing pauses, or at once on Enter; text that comes by the address replaces what stands here. */
import type { VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

const PAUSE_MS = 120

export interface SearchFieldProps {
  /** As it is searched for. */
  readonly text: string
  readonly onText: (text: string) => void
}

export function SearchField({ text, onText }: SearchFieldProps): VNode {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(text)
  const asked = useRef(text)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    if (text === asked.current) return
    asked.current = text
    setTyped(text)
  }, [text])
  const askNow = (): void => {
    if (typed === asked.current) return
    asked.current = typed
    onText(typed)
  }
  useEffect(() => {
    const timer = setTimeout(askNow, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <form
      class="recall-field"
      onSubmit={(event) => {
        event.preventDefault()
        askNow()
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
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  )
}
