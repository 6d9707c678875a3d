/** From where on the session counted: what was done there, how much it covers, and what stands for that. */
import type { VNode } from 'preact'
import type { MarkerView } from '../../../api/contract.ts'
import { EntryLink } from '../../parts/entry-link.tsx'
import { Moment } from '../../parts/moment.tsx'

const WORDS: Readonly<Record<MarkerView['reason'], string>> = {
  compact: 'Compacted',
  trim: 'Trimmed',
  new: 'Begun anew',
}

export function MarkerItem({ marker }: { readonly marker: MarkerView }): VNode {
  const { at, reason, turns, archiveId, archiveName, unmarked } = marker
  const what = (
    <>
      <strong>{WORDS[reason]}</strong>: {turns} {turns === 1 ? 'turn' : 'turns'}, <Moment at={at} />
    </>
  )
  return (
    <li class={unmarked ? 'marker is-unmarked' : 'marker'}>
      <p>
        {unmarked ? <s>{what}</s> : what}
        {unmarked && <span> taken back: the turns count again</span>}
        {archiveId !== undefined && (
          <>
            {' '}
            <EntryLink id={archiveId} kind="archive" label={archiveName ?? archiveId} />
          </>
        )}
      </p>
    </li>
  )
}
