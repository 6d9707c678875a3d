/** `&amp;` and its like, which the parser leaves as they are. Only the usual names: there are two thousand, and nobody writes them. */

/** For `split`: parts a text into references, line ends, and what is between. */
export const REFERENCE: RegExp = /(&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});|\n)/i

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  euro: '€',
  pound: '£',
  rarr: '→',
  larr: '←',
}

/** What it stands for; one that is not known, as it is written. */
export function readReference(written: string): string {
  const name = written.slice(1, -1)
  if (!name.startsWith('#')) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? written) : written
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}
