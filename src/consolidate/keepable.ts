/** A text as an entry can keep it: no half characters, no NUL. Pure. */
export function keepable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
