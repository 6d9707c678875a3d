/** The turns right before and after one in its conversation: they are likely about the same thing. */
import type { Matches } from '../search/matches.ts'

/**
 * Up to `reach` of them on each side; none for an entry that is no turn. Each group is built once, on first use.
 * `counts`: whether a document may have a say.
 */
export function neighbourhood(
  matches: Matches,
  reach: number,
  counts: (doc: number) => boolean,
): (doc: number) => readonly number[] {
  const groups = new Map<number, readonly number[]>()
  /** By document: its place in its group, from 1. A Map of them all would cost more than all the rest. */
  const places = new Uint32Array(matches.handles)
  const layOut = (group: number): readonly number[] => {
    const members = matches.members(group).filter(counts)
    for (let place = 0; place < members.length; place++) places[members[place] as number] = place + 1
    groups.set(group, members)
    return members
  }
  return (doc) => {
    const group = matches.group(doc)
    if (group === 0) return []
    const members = groups.get(group) ?? layOut(group)
    const place = (places[doc] ?? 0) - 1
    if (place < 0) return []
    return [...members.slice(Math.max(0, place - reach), place), ...members.slice(place + 1, place + 1 + reach)]
  }
}
