/**
 * The words of a line of shell that is one command and nothing else: no second command, no pipe, no redirection, nothing that
 * another command fills in. Enough to know what install wrote; whatever looks like more is left to a real shell.
 */

/** One after the other: a quoted text, an escaped sign, what else belongs to a word, and blanks between words. */
const PART =
  /'([^']*)'|"((?:[^"\\`$]|\\["\\$`]|\\(?=[^"\\$`])|\$(?!\())*)"|\\([^\w\s])|([^\s'";&|<>()`#\\]+|\\(?=\w))|[ \t]+/y

/** `undefined`: it is more than one simple command. */
export function simpleCommand(line: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let at = 0
  while (at < line.length) {
    PART.lastIndex = at
    const part = PART.exec(line)
    if (!part) return undefined
    const [whole, single, double, escaped, plain] = part
    const piece = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain
    if (piece !== undefined) word = (word ?? '') + piece
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
    at += whole.length
  }
  return word === undefined ? words : [...words, word]
}
