/** Markdown's headings apart from the rest, so that a word in one can weigh more and is not counted twice. */

export interface Split {
  readonly headings: string
  readonly rest: string
}

/** Lines that begin with one to six `#` and a blank, outside of fenced code. */
export function splitHeadings(text: string): Split {
  if (!text.includes('#')) return { headings: '', rest: text }
  const headings: string[] = []
  const rest: string[] = []
  let fence = ''
  for (const line of text.split('\n')) {
    const mark = fenceOf(line)
    if (mark !== '' && (fence === '' || mark === fence)) fence = fence === '' ? mark : ''
    if (fence === '' && isHeading(line)) headings.push(line)
    else rest.push(line)
  }
  return { headings: headings.join('\n'), rest: rest.join('\n') }
}

function fenceOf(line: string): string {
  const start = line.trimStart()
  return start.startsWith('```') ? '`' : start.startsWith('~~~') ? '~' : ''
}

function isHeading(line: string): boolean {
  let level = 0
  while (line[level] === '#') level++
  return level >= 1 && level <= 6 && (line[level] === ' ' || line[level] === '\t')
}
