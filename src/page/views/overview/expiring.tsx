/** What ends next, so that nothing is gone before somebody has seen it. */
import type { VNode } from 'preact'
import type { EntryRow } from '../../../api/contract.ts'
import { Moment } from '../../parts/moment.tsx'
import { EntryRows } from './entry-rows.tsx'
import { Panel } from './panel.tsx'
import { untilText } from './until-text.ts'

export function Expiring({ entries }: { readonly entries: readonly EntryRow[] }): VNode {
  const now = Date.now()
  return (
    <Panel title="Ends next">
      {entries.length === 0 ? (
        <p class="quiet">Nothing has an end.</p>
      ) : (
        <EntryRows
          entries={entries}
          note={({ expiresAt }) =>
            expiresAt !== null && (
              <>
                {untilText(expiresAt, now)} (<Moment at={expiresAt} />)
              </>
            )
          }
        />
      )}
    </Panel>
  )
}
