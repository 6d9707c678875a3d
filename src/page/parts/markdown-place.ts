/**
 * Finds again, in the source, what the parser has cut out of it: it tells no positions, and unindents what is nested. Texts are asked for in
 * their order, so a search never goes back. What is not found is drawn without marks, which is all that is lost.
 */
export interface Finder {
  /** Where this text stands; `undefined` where it is not there as it is. */
  find(text: string): number | undefined
  /** While `draw` runs, only what lies in `raw` is found; afterwards only what comes behind it. */
  inside<T>(raw: string, draw: () => T): T
}

export function finderIn(source: string): Finder {
  let from = 0
  let end = source.length
  const place = (text: string): number | undefined => {
    const at = source.indexOf(text, from)
    return at === -1 || at + text.length > end ? undefined : at
  }
  return {
    find(text) {
      const at = place(text)
      if (at !== undefined) from = at + text.length
      return at
    },
    inside(raw, draw) {
      const at = place(raw)
      if (at === undefined) return draw()
      const outerEnd = end
      from = at
      end = at + raw.length
      const drawn = draw()
      from = end
      end = outerEnd
      return drawn
    },
  }
}
