/** Conditions on metadata, as people write them. What is none is told at once, and not sent. */
import type { VNode } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { conditionText, parseCondition } from '../../../model/condition.ts'

export interface ConditionsProps {
  readonly conditions: readonly string[]
  readonly onConditions: (conditions: readonly string[]) => void
}

export function Conditions({ conditions, onConditions }: ConditionsProps): VNode {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const [fieldId, hintId] = [useId(), useId()]
  const add = (): void => {
    const read = readCondition(text)
    setProblem(read.problem)
    if (read.condition === undefined) return
    setText('')
    if (!conditions.includes(read.condition)) onConditions([...conditions, read.condition])
  }
  const remove = (condition: string): void => {
    onConditions(conditions.filter((one) => one !== condition))
    field.current?.focus()
  }
  return (
    <fieldset>
      <legend>Metadata</legend>
      {conditions.length > 0 && (
        <ul class="conditions">
          {conditions.map((condition) => (
            <li key={condition}>
              <code>{condition}</code>
              <button
                type="button"
                class="is-quiet"
                aria-label={`Remove the condition ${condition}`}
                onClick={() => remove(condition)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="condition-form"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <label class="unseen" for={fieldId}>
          A condition on metadata
        </label>
        <input
          ref={field}
          id={fieldId}
          type="text"
          placeholder="priority>=3"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby={hintId}
          aria-invalid={problem !== undefined}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Add</button>
      </form>
      <p
        id={hintId}
        class={problem === undefined ? 'hint' : 'hint is-problem'}
        role={problem === undefined ? undefined : 'alert'}
      >
        {problem ?? 'A key and a value with = != > >= < or <= between them; all must hold.'}
      </p>
    </fieldset>
  )
}

function readCondition(text: string): { readonly condition?: string; readonly problem?: string } {
  try {
    return { condition: conditionText(parseCondition(text)) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
