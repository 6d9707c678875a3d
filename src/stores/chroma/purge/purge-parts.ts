/**
 * Parts of long texts that belong to nobody: of writers that were stopped before they could say what they are parts of, and of records that
 * were rewritten since. Nobody reads them, but they say what they say.
 */
import type { CallOptions } from '../../../ports/store.ts'
import type { Shelf, ShelfRecord } from '../server/shelf.ts'

export async function removeNobodysParts(log: Shelf, generation: string, options: CallOptions): Promise<void> {
  const ids = await nobodysParts(log, generation, options)
  if (ids.length > 0) await log.remove(ids, options)
}

/** The ids of all of them. */
export async function nobodysParts(log: Shelf, generation: string, options: CallOptions): Promise<readonly string[]> {
  const idsOf = byTag(await log.findIds({ g: generation, kind: 'p' }, options))
  const someOfEach = [...idsOf.values()].flatMap(([id]) => id ?? [])
  const parts = [...(await log.get(someOfEach, options)).values()]
  const owners = await log.get([...new Set(parts.map(ownerOf))], options)
  return parts.filter((part) => isNobodys(part, generation, owners)).flatMap(({ id }) => idsOf.get(tagIn(id)) ?? [])
}

/** Whose owner is not there yet may be about to get it, where it is an append that counts; all else can be made anew. */
function isNobodys(part: ShelfRecord, generation: string, owners: ReadonlyMap<string, ShelfRecord>): boolean {
  const owner = owners.get(ownerOf(part))
  if (owner) return !owner.text.includes(tagIn(part.id))
  return !['c', 's'].some((kind) => ownerOf(part).startsWith(`${generation}/${kind}/`))
}

function byTag(ids: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const id of ids) {
    const others = found.get(tagIn(id))
    if (others) others.push(id)
    else found.set(tagIn(id), [id])
  }
  return found
}

function tagIn(id: string): string {
  return id.split('/')[2] ?? ''
}

function ownerOf({ labels }: ShelfRecord): string {
  return String(labels['of'])
}
