/** The journal: everything that was ever changed, by whom and how, with the way to take each change back and to see the memory as it was. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ChangeView } from '../../../api/contract.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { go, href, route } from '../../route.ts'
import { agent } from '../../state.ts'
import { ChangeItem } from './change-item.tsx'
import { type ChangesFilter, filterIn } from './changes-filter.ts'
import { Filters } from './filters.tsx'
import { MomentForm } from './moment-form.tsx'
import { takeBack, type Undoing } from './take-back.ts'
import { type Question, UndoQuestion } from './undo-question.tsx'
import { type Journal, useJournal } from './use-journal.ts'

export function ChangesView(): VNode {
  const filter = filterIn(route.value.query)
  return (
    <div class="changes">
      <div class="changes-head">
        <h1>Changes</h1>
        <MomentForm />
      </div>
      <Changes key={agent.value} filter={filter} />
    </div>
  )
}

function Changes({ filter }: { readonly filter: ChangesFilter }): VNode {
  const journal = useJournal(filter)
  const [question, setQuestion] = useState<Question>()
  const { value, error } = journal
  // What was shown before a question that the server refuses is no answer to it.
  const isRefused = error !== undefined && error.status >= 400 && error.status < 500
  const changes = isRefused ? [] : (value?.changes ?? [])
  const byNumber = new Map(changes.map((change) => [change.number, change]))
  const gone = goneIn(changes)
  const undo = async (undoing: Undoing): Promise<void> => {
    setQuestion(await takeBack(undoing))
    journal.reload()
  }
  return (
    <>
      <Filters filter={filter} changes={changes} onFilter={show} />
      {error !== undefined && <Failure error={error} />}
      {value?.warnings.map((warning) => (
        <p key={warning} class="changes-warning">
          {warning}
        </p>
      ))}
      {value !== undefined && !isRefused && changes.length === 0 && <NoChanges filter={filter} />}
      {daysOf(changes).map(([day, ofDay]) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`} class="change-day">
            {dayText(day)}
          </h2>
          <ol class="change-list">
            {ofDay.map((change) => (
              <ChangeItem
                key={change.number}
                change={change}
                byNumber={byNumber}
                gone={gone}
                undo={undo}
                ask={setQuestion}
              />
            ))}
          </ol>
        </section>
      ))}
      {!isRefused && <More journal={journal} />}
      {question !== undefined && (
        <UndoQuestion
          question={question}
          byNumber={byNumber}
          onClose={() => setQuestion(undefined)}
          onYes={(undoing) => void undo(undoing)}
        />
      )}
    </>
  )
}

function show(patch: Partial<ChangesFilter>): void {
  const { query } = route.peek()
  go(href('changes', { ...query, ...filterIn(query), ...patch }))
}

function NoChanges({ filter }: { readonly filter: ChangesFilter }): VNode {
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <Empty>
      <p>{isFiltered ? 'No change is like that.' : 'Nothing was changed yet.'}</p>
    </Empty>
  )
}

function More({ journal: { value, isLoading, more } }: { readonly journal: Journal }): VNode | null {
  if (value === undefined) return isLoading ? <p class="loading">Loading…</p> : null
  if (value.next === undefined) return null
  return (
    <button type="button" class="changes-more" aria-disabled={isLoading} onClick={() => !isLoading && more()}>
      {isLoading ? 'Loading…' : 'Show earlier changes'}
    </button>
  )
}

/** What the newest change of it that is shown has removed. */
function goneIn(changes: readonly ChangeView[]): ReadonlySet<string> {
  const last = new Map(
    changes.toReversed().flatMap(({ touched }) => touched.map(({ id, what }) => [id, what] as const)),
  )
  return new Set([...last].flatMap(([id, what]) => (what === 'removed' ? id : [])))
}

/** As they come, newest first. */
function daysOf(changes: readonly ChangeView[]): readonly (readonly [string, readonly ChangeView[]])[] {
  const days: [string, ChangeView[]][] = []
  for (const change of changes) {
    const last = days.at(-1)
    if (last?.[0] === change.day) last[1].push(change)
    else days.push([change.day, [change]])
  }
  return days
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })

function dayText(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`))
}
