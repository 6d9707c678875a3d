/** What is asked, how, and of what. */
import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { SearchMode } from '../../../recall/found.ts'
import { Filters } from './filters.tsx'
import { type Ask, filterCount, LIMITS, type RecallQuery } from './recall-query.ts'
import { SearchField } from './search-field.tsx'

export interface SearchFormProps {
  readonly query: RecallQuery
  readonly ask: Ask
  readonly isLoading: boolean
}

export function SearchForm({ query, ask, isLoading }: SearchFormProps): VNode {
  const count = filterCount(query)
  const [isOpen, setIsOpen] = useState(count > 0)
  const filtersId = useId()
  return (
    <search class="recall-form">
      <SearchField text={query.text} onText={(text) => ask({ text })} />
      <div class="recall-options">
        <ModeChoice mode={query.mode} onMode={(mode) => ask({ mode })} />
        <LimitChoice limit={query.limit} onLimit={(limit) => ask({ limit })} />
        <button
          type="button"
          class="is-quiet"
          aria-expanded={isOpen}
          aria-controls={filtersId}
          onClick={() => setIsOpen(!isOpen)}
        >
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </button>
        {isLoading && <span class="recall-busy">Searching…</span>}
      </div>
      <div id={filtersId} hidden={!isOpen}>
        <Filters query={query} ask={ask} />
      </div>
    </search>
  )
}

const MODE_NAMES: readonly (readonly [SearchMode, string])[] = [
  ['hybrid', 'words and meaning'],
  ['lexical', 'words'],
  ['semantic', 'meaning'],
]

interface ModeChoiceProps {
  readonly mode: SearchMode | undefined
  readonly onMode: (mode: SearchMode | undefined) => void
}

function ModeChoice({ mode, onMode }: ModeChoiceProps): VNode {
  const chosen = (value: string): SearchMode | undefined => MODE_NAMES.find(([name]) => name === value)?.[0]
  return (
    <label class="recall-choice">
      <span>By</span>
      <select value={mode ?? ''} onChange={(event) => onMode(chosen(event.currentTarget.value))}>
        <option value="">all there is</option>
        {MODE_NAMES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

interface LimitChoiceProps {
  readonly limit: number
  readonly onLimit: (limit: number) => void
}

function LimitChoice({ limit, onLimit }: LimitChoiceProps): VNode {
  const limits = LIMITS.includes(limit) ? LIMITS : [...LIMITS, limit].sort((a, b) => a - b)
  return (
    <label class="recall-choice">
      <span>At most</span>
      <select value={limit} onChange={(event) => onLimit(Number(event.currentTarget.value))}>
        {limits.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  )
}
