/** A query with one of its words replaced, for one that stands nowhere. Pure. */

/** Where it stands as a word of its own; where it does not, the other one comes to the end. */
export function withWord(query: string, word: string, other: string): string {
  const at = wordIn(query, word)
  if (at === -1) return `${query.trimEnd()} ${other}`
  return query.slice(0, at) + other + query.slice(at + word.length)
}

function wordIn(query: string, word: string): number {
  const [where, what] = [query.toLowerCase(), word.toLowerCase()]
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + 1)) {
    if (!isLetter(query[at - 1]) && !isLetter(query[at + word.length])) return at
  }
  return -1
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character)
}
