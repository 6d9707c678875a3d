/** What a text from a server says; `undefined` where it is no JSON, which whoever asked for it calls by its name. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
