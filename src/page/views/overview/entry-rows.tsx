/** A short list of entries, each with one thing to say about it. */
import type { ComponentChildren, VNode } from 'preact'
import type { EntryRow } from '../../../api/contract.ts'
import { EntryLink } from '../../parts/entry-link.tsx'

export interface EntryRowsProps {
  readonly entries: readonly EntryRow[]
  readonly note: (entry: EntryRow) => ComponentChildren
}

export function EntryRows({ entries, note }: EntryRowsProps): VNode {
  return (
    <ul class="overview-rows">
      {entries.map((entry) => (
        <li key={entry.id}>
          <EntryLink id={entry.id} kind={entry.kind} label={labelOf(entry)} />
          <span class="hint">{note(entry)}</span>
        </li>
      ))}
    </ul>
  )
}

function labelOf({ name, key, excerpt, kind }: EntryRow): string {
  return name ?? key ?? (excerpt || `${kind} without text`)
}
