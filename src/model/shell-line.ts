/** Quotes words into one line that a POSIX shell splits into the same words. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w./@:=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}
