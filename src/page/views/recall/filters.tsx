/** What a hit must be besides: of a kind, made in a span of days, with such metadata. */
import type { VNode } from 'preact'
import { KIND_NAMES, type Kind } from '../../../model/kinds.ts'
import { KindBadge } from '../../parts/kind-badge.tsx'
import { Conditions } from './conditions.tsx'
import { type Ask, filterCount, NO_FILTERS, type RecallQuery } from './recall-query.ts'

export interface FiltersProps {
  readonly query: RecallQuery
  readonly ask: Ask
}

export function Filters({ query, ask }: FiltersProps): VNode {
  return (
    <div class="recall-filters">
      <fieldset>
        <legend>Kinds</legend>
        <div class="kind-choices">
          {KIND_NAMES.map((kind) => (
            <label key={kind}>
              <input
                type="checkbox"
                checked={query.kinds.includes(kind)}
                onChange={(event) => ask({ kinds: withKind(query.kinds, kind, event.currentTarget.checked) })}
              />
              <KindBadge kind={kind} />
            </label>
          ))}
        </div>
        <p class="hint">None chosen: every kind but identity.</p>
      </fieldset>
      <fieldset>
        <legend>Made</legend>
        <div class="recall-days">
          <Day label="from" day={query.since} onDay={(since) => ask({ since })} />
          <Day label="until" day={query.until} onDay={(until) => ask({ until })} />
        </div>
        <p class="hint">Both days are part of it.</p>
      </fieldset>
      <Conditions conditions={query.where} onConditions={(where) => ask({ where })} />
      {filterCount(query) > 0 && (
        <button type="button" class="recall-clear" onClick={() => ask(NO_FILTERS)}>
          Clear the filters
        </button>
      )}
    </div>
  )
}

/** In the order of the table, so that one choice has one address. */
function withKind(kinds: readonly Kind[], kind: Kind, isWanted: boolean): readonly Kind[] {
  return KIND_NAMES.filter((name) => (name === kind ? isWanted : kinds.includes(name)))
}

interface DayProps {
  readonly label: string
  readonly day: string
  readonly onDay: (day: string) => void
}

function Day({ label, day, onDay }: DayProps): VNode {
  return (
    <label class="recall-choice">
      <span>{label}</span>
      <input
        type="date"
        min="1000-01-01"
        max="9999-12-31"
        value={day}
        onChange={({ currentTarget }) => {
          // While a year is typed, it is one of the first centuries for a moment.
          if (currentTarget.validity.valid) onDay(currentTarget.value)
        }}
      />
    </label>
  )
}
