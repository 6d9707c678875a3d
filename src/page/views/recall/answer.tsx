/** What was found, beside what was searched and why something else was not found. */
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { MODE_TEXTS } from '../../../prompt/searched-text.ts'
import type { Found } from '../../../recall/found.ts'
import { wholeText } from '../../parts/number-text.ts'
import { HitList } from './hit-list.tsx'
import { NothingFound } from './nothing-found.tsx'
import { type Ask, LIMITS, type RecallQuery } from './recall-query.ts'
import { SearchedNote } from './searched-note.tsx'
import { WhyNotForm } from './why-not-form.tsx'

export interface AnswerProps {
  readonly found: Found
  readonly query: RecallQuery
  readonly ask: Ask
}

export function Answer({ found, query, ask }: AnswerProps): VNode {
  const { hits, searched, warnings } = found
  const expected = useRef<HTMLInputElement>(null)
  const higher = LIMITS.find((limit) => limit > query.limit)
  return (
    <div class="recall-answer">
      <section class="recall-hits" aria-labelledby="recall-hits">
        <h2 id="recall-hits" class="unseen">
          Hits
        </h2>
        <div class="recall-count">
          <p role="status">{countText(found)}</p>
          <button type="button" class="recall-missing is-quiet small" onClick={() => expected.current?.focus()}>
            Something missing?
          </button>
        </div>
        {hits.length === 0 ? (
          <NothingFound searched={searched} query={query} ask={ask} />
        ) : (
          <HitList hits={hits} asOf={query.asOf} />
        )}
        {isMore(found) && higher !== undefined && (
          <button type="button" onClick={() => ask({ limit: higher })}>
            Show up to {higher}
          </button>
        )}
      </section>
      <aside class="recall-aside">
        <SearchedNote searched={searched} warnings={warnings} onWord={(text) => ask({ text })} />
        <WhyNotForm query={query} ask={ask} field={expected} />
      </aside>
    </div>
  )
}

/** `20 of 37 that match, by words and meaning` */
function countText(found: Found): string {
  const { hits, searched } = found
  const by = MODE_TEXTS[searched.mode]
  if (hits.length === 0) return `Nothing found, ${by}`
  if (isMore(found)) return `The best ${hits.length} of ${wholeText(searched.matched)} that match, ${by}`
  return `${hits.length} ${hits.length === 1 ? 'hit' : 'hits'}, ${by}`
}

/** What says the same as a hit is shown with it. */
function isMore({ hits, searched }: Found): boolean {
  const shown = hits.reduce((sum, { alike }) => sum + 1 + alike.length, 0)
  return searched.matched > shown
}
