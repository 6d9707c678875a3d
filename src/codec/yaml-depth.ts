/**
 * How deep a text of YAML may be nested at most, without parsing it. The library calls itself for each level, and at the end
 * of the stack it may take the process down with it; a memory is untrusted text. Estimates, never too low.
 */
const DEEPEST = 100

export function isTooDeep(text: string): boolean {
  let open = 0
  for (const character of text) {
    if (character === '[' || character === '{') open++
    else if (character === ']' || character === '}') open = Math.max(0, open - 1)
    if (open > DEEPEST) return true
  }
  // Blanks, and the dashes, marks and colons that begin a level: two characters each, at the least one.
  return text.split('\n').some((line) => (/^[\s\-?:]*/.exec(line)?.[0].length ?? 0) > 2 * DEEPEST)
}
