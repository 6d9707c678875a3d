/**
 * The journal, newest first, as far as somebody has read on in it. When the memory changes all of that is read again: what is new comes
 * on top, and what was undone meanwhile says so, however far down it is.
 */
import { useState } from 'preact/hooks'
import type { ChangeList } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { type Loaded, useLoaded } from '../../parts/use-loaded.ts'
import { agent, changed } from '../../state.ts'
import type { ChangesFilter } from './changes-filter.ts'

/** What is read on by. */
const PAGE = 30
/** What the server gives at once. */
const MOST_AT_ONCE = 100

export interface Journal extends Loaded<ChangeList> {
  readonly more: () => void
}

export function useJournal({ by, session, entry }: ChangesFilter): Journal {
  const whose = agent.value
  const list = JSON.stringify([by, session, entry])
  const [read, setRead] = useState({ list, wanted: PAGE })
  // Another filter is another list: how far the last one was read says nothing about it.
  const wanted = read.list === list ? read.wanted : PAGE
  const loaded = useLoaded(
    (signal) => readJournal({ agent: whose, by, session, entry }, wanted, signal),
    [whose, by, session, entry, wanted, changed.value.count],
  )
  return { ...loaded, more: () => setRead({ list, wanted: wanted + PAGE }) }
}

async function readJournal(
  asked: Readonly<Record<string, string | undefined>>,
  wanted: number,
  signal: AbortSignal,
): Promise<ChangeList> {
  const changes: ChangeList['changes'][number][] = []
  for (let before: number | undefined; ; ) {
    const limit = Math.min(MOST_AT_ONCE, wanted - changes.length)
    const list = await get<ChangeList>('/changes', { ...asked, before, limit }, signal)
    changes.push(...list.changes)
    before = list.next
    if (before === undefined || changes.length >= wanted) return { ...list, changes }
  }
}
