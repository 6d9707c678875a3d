/** Ids that stand in two places, and names that two entries of a scope claim. */

import { type Finding, finding } from '../../disk/doctor/finding.ts'
import type { Place } from '../layout.ts'
import { conflictCopies } from './conflict-copies.ts'
import type { Evidence } from './evidence.ts'

/** The second and every further place that names an id. */
export interface DuplicateId {
  readonly id: string
  readonly place: Place
  /** Which of the entries in its file. */
  readonly index: number
  readonly original: string
}

export function checkIds(evidence: Evidence): Finding[] {
  return duplicateIds(evidence).map(({ id, place, original }) => {
    const where = original === place.path ? 'twice in this file' : `also in ${original}`
    const hint = 'It counts as an entry of its own already; --fix writes down an id of its own for it.'
    return finding('duplicate-id', place.path, `id ${id} stands ${where}`, hint)
  })
}

export function duplicateIds(evidence: Evidence): DuplicateId[] {
  const { texts, workspace } = evidence
  const copies = conflictCopies(evidence)
  const places = new Map<string, { readonly place: Place; readonly index: number }[]>()
  for (const text of texts) {
    // A mirror repeats what the months hold; that is what it is for.
    if (text.place.mirror || copies.has(text)) continue
    for (const [index, { id, named }] of text.entries.entries()) {
      if (named) places.set(id, [...(places.get(id) ?? []), { place: text.place, index }])
    }
  }
  return [...places].flatMap(([id, all]) => {
    if (all.length < 2) return []
    // The one that the journal knows is the original; else the first that a survey meets.
    const home = workspace.catalog.head(id)?.path
    const original = all.find(({ place }) => place.path === home) ?? all[0]
    const others = all.filter((one) => one !== original)
    return others.map(({ place, index }) => ({ id, place, index, original: original?.place.path ?? '' }))
  })
}

export function checkHandles(evidence: Evidence): Finding[] {
  const copies = conflictCopies(evidence)
  const owners = new Map<string, string>()
  return evidence.texts.flatMap((text) => {
    const { place, entries } = text
    if (copies.has(text)) return []
    return entries.flatMap(({ name, aliases }) =>
      [...new Set(name === null ? [] : [name, ...aliases])].flatMap((handle) => {
        const key = `${place.scope}\0${handle}`
        const owner = owners.get(key)
        if (owner === undefined) owners.set(key, place.path)
        if (owner === undefined || owner === place.path) return []
        const hint = 'Only one of them is found by it. Change the name or the alias in one of the files.'
        return finding('duplicate-name', place.path, `"${handle}" is what ${owner} is called, too`, hint)
      }),
    )
  })
}
