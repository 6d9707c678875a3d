/** An entry of the daily log or of the history, at its time. */
import type { VNode } from 'preact'
import type { EntryRow } from '../../../api/contract.ts'
import { EntryLink } from '../../parts/entry-link.tsx'

export function EntryItem({ time, entry }: { readonly time: string; readonly entry: EntryRow }): VNode {
  return (
    <li class={`day-item is-${entry.kind}`}>
      <time>{time}</time>
      <EntryLink id={entry.id} kind={entry.kind} label={entry.excerpt || `${entry.kind} without text`} />
    </li>
  )
}
