/** So many pages of the timeline, one after the other. When the memory changes they are all read again, so that they always fit together. */
import type { Timeline, TimelineItem } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { type Loaded, useLoaded } from '../../parts/use-loaded.ts'
import { agent, changed } from '../../state.ts'

export interface ReadTimeline {
  /** Newest first. */
  readonly items: readonly TimelineItem[]
  readonly days: Timeline['days']
  readonly hasMore: boolean
}

const PAGE = 100

export function useTimeline(before: string | undefined, pages: number): Loaded<ReadTimeline> {
  return useLoaded(
    (signal) => readPages(agent.value, before, pages, signal),
    [agent.value, before, pages, changed.value.count],
  )
}

async function readPages(
  whose: string,
  before: string | undefined,
  pages: number,
  signal: AbortSignal,
): Promise<ReadTimeline> {
  const items: TimelineItem[] = []
  let next = before
  for (let page = 1; ; page++) {
    const read = await get<Timeline>('/timeline', { agent: whose, before: next, limit: PAGE }, signal)
    items.push(...read.items)
    next = read.next
    if (next === undefined || page >= pages) return { items, days: read.days, hasMore: next !== undefined }
  }
}
