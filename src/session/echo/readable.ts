/** A captured message may be JSON, with its ends of line escaped: the text as it is read, each character where it was. */
export function readable(text: string): string {
  return isJson(text) ? text.replace(/\\([nrt"\\/])/g, (_, mark: string) => ` ${BLANKS[mark] ?? mark}`) : text
}

const BLANKS: { readonly [mark: string]: string } = { n: '\n', r: ' ', t: ' ' }

function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
