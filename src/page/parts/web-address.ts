/** Which addresses a link in a memory may lead to: what a stranger wrote is not to run in this page, nor to open programs. */
const ALLOWED: readonly string[] = ['http:', 'https:', 'mailto:']

/** As the browser will take it; `undefined`: it is shown as text. A relative one would lead into this page. */
export function webAddress(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  return ALLOWED.includes(url.protocol) ? url.href : undefined
}
