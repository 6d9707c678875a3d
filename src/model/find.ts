/**
 * What a person means by a name that is not quite one: the slug, another case; the only one, or none. Names that come near
 * are offered, never taken.
 */
import type { EntryHead } from './entry.ts'
import { slug } from './name.ts'

const MOST_SUGGESTIONS = 3

export interface Found {
  readonly id?: string
  readonly near: readonly string[]
}

/** `own`: the scope whose entries win over the world's. */
export function findByRef(ref: string, heads: readonly EntryHead[], own: string): Found {
  const wanted = fold(ref)
  const named = heads.flatMap((head) => (head.name === null ? [] : [{ head, names: [head.name, ...head.aliases] }]))
  // The closest likeness that anything has: to the letter, but for case, as a file name.
  const likenesses: readonly ((name: string) => boolean)[] = [
    (name) => name === ref.normalize('NFC').trim(),
    (name) => fold(name) === wanted,
    (name) => slug(name) === wanted,
  ]
  const alike =
    likenesses.map((isAlike) => named.filter(({ names }) => names.some(isAlike))).find((some) => some.length > 0) ?? []
  const mine = alike.filter(({ head }) => head.scope === own)
  const meant = mine.length > 0 ? mine : alike
  if (meant.length === 1 && meant[0]) return { id: meant[0].head.id, near: [] }
  if (meant.length > 1)
    return { near: [...new Set(meant.map(({ head }) => head.name ?? head.id))].slice(0, MOST_SUGGESTIONS) }
  const scored = named
    .flatMap(({ names }) => names.map((name) => ({ name, distance: distance(fold(name), wanted) })))
    .filter(
      ({ name, distance: far }) => far <= Math.max(1, Math.floor(wanted.length / 3)) || fold(name).includes(wanted),
    )
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return { near: [...new Set(scored.map(({ name }) => name))].slice(0, MOST_SUGGESTIONS) }
}

function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim()
}

/** Levenshtein's, with two neighbours swapped counting once, as fingers do. Names are short. */
export function distance(a: string, b: string): number {
  let older: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = swaps ? (older[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    older = last
    last = row
  }
  return last[b.length] ?? 0
}
