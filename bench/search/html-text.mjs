// A page of documentation as its blocks of running text: no markup, no navigation, no scripts. Not a parser of HTML; it
// knows what the generators of Debian's documentation write (Sphinx, DocBook, AsciiDoc, Javadoc) and nothing more.

const CHROME = /<(head|script|style|nav|footer|header|form|svg)\b[\s\S]*?<\/\1\s*>/gi
const BLOCK =
  /<\/?(?:p|div|li|ul|ol|dl|dt|dd|table|tr|td|th|h[1-6]|pre|blockquote|section|article|main|br|hr)\b[^>]*>/gi
const TAG = /<[^>]*>/g
const ENTITY = /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi
const NAMED = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ndash: '–', mdash: '—', hellip: '…' }

export function blocksOf(html) {
  return html
    .replace(CHROME, '\n')
    .replace(/[\r\n]+/g, ' ')
    .replace(BLOCK, '\n')
    .replace(TAG, ' ')
    .replace(ENTITY, (whole, decimal, hex, name) => character(decimal, hex, name) ?? whole)
    .split('\n')
    .map((block) => block.replace(/[\s¶]+/g, ' ').trim())
    .filter((block) => block !== '')
}

function character(decimal, hex, name) {
  if (name !== undefined) return NAMED[name.toLowerCase()]
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
