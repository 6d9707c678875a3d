/** Why an entry that was expected is not among the hits. The question stands in the address too, and goes along with another query. */
import type { RefObject, VNode } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import type { WhyNotAnswer } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { agent, changed } from '../../state.ts'
import { type Ask, type RecallQuery, requestOf } from './recall-query.ts'
import { WhyNotResult } from './why-not-result.tsx'

export interface WhyNotFormProps {
  readonly query: RecallQuery
  readonly ask: Ask
  readonly field: RefObject<HTMLInputElement | null>
}

export function WhyNotForm({ query, ask, field }: WhyNotFormProps): VNode {
  const fieldId = useId()
  const { expected } = query
  const [typed, setTyped] = useState(expected)
  useEffect(() => setTyped(expected), [expected])
  return (
    <section class="why-not" aria-labelledby="why-not">
      <h2 id="why-not">Something missing?</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          ask({ expected: typed.trim() })
        }}
      >
        <div class="field">
          <label for={fieldId}>Name or id of what you expected</label>
          <input
            ref={field}
            id={fieldId}
            type="search"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget: { value } }) => {
              setTyped(value)
              if (value === '') ask({ expected: '' })
            }}
          />
        </div>
        <button type="submit">Why is it not here?</button>
      </form>
      <div aria-live="polite">{expected !== '' && <Reason query={query} />}</div>
    </section>
  )
}

function Reason({ query }: { readonly query: RecallQuery }): VNode | null {
  const whose = agent.value
  const request = { agent: whose, ...requestOf(query), ref: query.expected }
  const { value, error } = useLoaded(
    (signal) => get<WhyNotAnswer>('/why-not', request, signal),
    [JSON.stringify(request), changed.value.count],
  )
  if (error !== undefined) return <Failure error={error} />
  return value === undefined ? null : <WhyNotResult whyNot={value} asOf={query.asOf} />
}
