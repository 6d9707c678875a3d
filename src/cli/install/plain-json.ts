/** Comments are kept, also where the client can't read them: then it reads nothing of the file. */
export function plainJsonWarning(title: string, path: string, text = ''): string[] {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return []
  } catch {
    return [`${title} reads only plain JSON: take the comments and trailing commas out of ${path}`]
  }
}
