/** The beginning of a text that is too long for a model, with a line that says so. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const part = text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
  return `${part}\n(Cut: the first ${most} of ${text.length} characters.)`
}
