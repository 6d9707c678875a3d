/** What no agent was given by any recall since that is counted: it may be called by the wrong name, or not be needed. */
import type { VNode } from 'preact'
import type { Overview } from '../../../api/contract.ts'
import { Moment } from '../../parts/moment.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { EntryRows } from './entry-rows.tsx'
import { Panel } from './panel.tsx'

export function Unrecalled({ unrecalled }: { readonly unrecalled: Overview['unrecalled'] }): VNode {
  return (
    <Panel title="Never recalled">
      {unrecalled.since === undefined ? (
        <p class="quiet">Nothing was counted yet. It is counted from the first recall on.</p>
      ) : (
        <Counted since={unrecalled.since} unrecalled={unrecalled} />
      )}
    </Panel>
  )
}

interface CountedProps {
  readonly since: string
  readonly unrecalled: Overview['unrecalled']
}

function Counted({ since, unrecalled: { total, entries } }: CountedProps): VNode {
  const more = total - entries.length
  return (
    <>
      <p>
        <strong>{total === 0 ? 'Everything was recalled' : `${wholeText(total)} never`}</strong>
        <span class="quiet">
          , counted since <Moment at={since} />
        </span>
      </p>
      <EntryRows
        entries={entries}
        note={({ createdAt }) => (
          <>
            from <Moment at={createdAt} />
          </>
        )}
      />
      {more > 0 && <p class="hint">and {wholeText(more)} more</p>}
    </>
  )
}
