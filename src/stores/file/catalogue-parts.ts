/** What a file's catalogue is made of, with all places as they are in that file. Types, and what an unfolded catalogue gives. */
import type { TextPlace } from '../../codec/one-file/bytes.ts'
import type { CatalogueHead, SessionRow } from '../../codec/one-file/catalogue.ts'
import type { EntryHead } from '../../model/entry.ts'
import { handleKeys } from '../disk/packed-heads.ts'
import type { FileCatalogue } from './file-catalogue.ts'

export interface CatalogueParts extends CatalogueHead {
  /** In the order of `seq`. */
  readonly heads: readonly EntryHead[]
  readonly placeOf: (id: string) => TextPlace
  readonly changes: readonly ChangePlace[]
  readonly sessions: readonly SessionRow[]
}

export interface ChangePlace {
  readonly number: number
  /** Where its frame begins. */
  readonly offset: number
}

export function headsOf(catalogue: FileCatalogue): EntryHead[] {
  return [...catalogue.heads()].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1))
}

/** Names that more than one of these claims, and who has each: who had it, or else the oldest. */
export function contestedAmong(heads: readonly EntryHead[], catalogue: FileCatalogue): [string, string][] {
  if (catalogue.contested().size === 0) return []
  const claimants = new Map<string, string[]>()
  for (const head of heads) {
    for (const key of handleKeys(head)) {
      if (catalogue.contested().has(key)) claimants.set(key, [...(claimants.get(key) ?? []), head.id])
    }
  }
  return [...claimants].flatMap(([key, ids]): [string, string][] => {
    const owner = catalogue.ownerOf(key)
    const [oldest = ''] = ids
    return ids.length < 2 ? [] : [[key, owner !== undefined && ids.includes(owner) ? owner : oldest]]
  })
}
