/** Items of a timeline by their days: the newest day first, and in each the earliest first, as a day is told. Pure. */
import type { TimelineItem } from '../../../api/contract.ts'

export interface ItemDay {
  readonly day: string
  readonly items: readonly TimelineItem[]
}

export function byDay(newestFirst: readonly TimelineItem[]): readonly ItemDay[] {
  const days = new Map<string, TimelineItem[]>()
  for (const item of newestFirst) {
    const items = days.get(item.day)
    if (items) items.unshift(item)
    else days.set(item.day, [item])
  }
  return [...days].map(([day, items]) => ({ day, items }))
}
