/** The beginning of a text, cut between characters and never within one, as a cut between its units may be. Pure. */

export function firstCharacters(text: string, most: number): string {
  // A character is at most two units, so a long text is not taken apart as a whole.
  return [...text.slice(0, 2 * most)].slice(0, most).join('')
}

/** With a sign where something is left out, which counts as one. */
export function shortened(text: string, most: number): string {
  return firstCharacters(text, most) === text ? text : `${firstCharacters(text, most - 1)}…`
}
