/** One thing to filter by: a field while nothing is chosen, then what was chosen and a button that lets go of it. */
import type { VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface FilterFieldProps {
  readonly label: string
  readonly value: string | undefined
  /** How `value` is called. */
  readonly shown: string | undefined
  readonly onValue: (value: string | undefined) => void
}

export function FilterField({ label, value, shown, onValue }: FilterFieldProps): VNode {
  const [typed, setTyped] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const isOurs = useRef(false)
  const choose = (chosen: string | undefined): void => {
    isOurs.current = true
    setTyped('')
    onValue(chosen)
  }
  // What had the focus is gone by what was done with it; what took its place gets it.
  useLayoutEffect(() => {
    if (isOurs.current) (button.current ?? field.current)?.focus()
    isOurs.current = false
  }, [value])
  if (value !== undefined) {
    return (
      <p class="changes-filter">
        <span>{label}</span>
        <strong>
          <bdi>{shown}</bdi>
        </strong>
        <button
          ref={button}
          type="button"
          aria-label={`Show every ${label.toLowerCase()}`}
          onClick={() => choose(undefined)}
        >
          ×
        </button>
      </p>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() !== '') choose(typed.trim())
      }}
    >
      <label class="changes-filter">
        <span>{label}</span>
        <input
          ref={field}
          type="text"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder={label === 'Entry' ? 'name or id' : 'key'}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
    </form>
  )
}
