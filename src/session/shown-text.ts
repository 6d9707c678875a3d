/**
 * What an answer of our own tools shows. Some of them give a model data in the place of a text, and some clients do: then it is what
 * stands in that. Pure.
 */
export function shownText(text: string): string {
  const from = text.search(/^[{[]/m)
  if (from === -1) return text
  try {
    const texts: string[] = []
    // The reviver is called for each value there is, however deep.
    JSON.parse(text.slice(from), (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
    return texts.join('\n\n')
  } catch {
    return text
  }
}
