/**
 * Where front matter begins and ends. Invariant: the parts of a split, joined, are the text.
 * A fence is a line of three dashes and nothing else; YAML's own `...` does not close, because no editor writes it.
 */

export interface Fenced {
  /** A byte order mark, if any, and the first fence with its line end. */
  readonly opening: string
  readonly block: string
  readonly closing: string
  /** The one blank line after the fence that is not part of the content; empty where a person left it out. */
  readonly gap: '' | '\n' | '\r\n'
  readonly body: string
}

const BOM = '\uFEFF'

export function opensFence(text: string): boolean {
  return endOfFence(text, firstLine(text)) !== undefined
}

/** `undefined`: the text has no front matter, or one that is never closed. */
export function splitFences(text: string): Fenced | undefined {
  const blockAt = endOfFence(text, firstLine(text))
  if (blockAt === undefined) return undefined
  // From the line break before the block, so that an empty block is found too.
  for (let at = text.indexOf('\n---', blockAt - 1); at !== -1; at = text.indexOf('\n---', at + 1)) {
    const bodyAt = endOfFence(text, at + 1)
    if (bodyAt === undefined) continue
    const gap = text.startsWith('\n', bodyAt) ? '\n' : text.startsWith('\r\n', bodyAt) ? '\r\n' : ''
    return {
      opening: text.slice(0, blockAt),
      block: text.slice(blockAt, at + 1),
      closing: text.slice(at + 1, bodyAt),
      gap,
      body: text.slice(bodyAt + gap.length),
    }
  }
  return undefined
}

function firstLine(text: string): number {
  return text.startsWith(BOM) ? BOM.length : 0
}

/** The offset after the fence that starts here, its line end included. */
function endOfFence(text: string, start: number): number | undefined {
  if (!text.startsWith('---', start)) return undefined
  let at = start + 3
  while (text[at] === ' ' || text[at] === '\t') at++
  if (text[at] === '\r') at++
  if (at === text.length) return at
  return text[at] === '\n' ? at + 1 : undefined
}
