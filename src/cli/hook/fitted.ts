/**
 * What a client takes of one hook. Claude Code and Codex put what is longer into a file and show a model a piece of it, or cut
 * its middle out; an end that says that it is one serves better. Measured with Claude Code 2.1 and Codex 0.166.
 */
import type { HookClient } from './hook-clients.ts'

const MOST: Readonly<Partial<Record<HookClient, { readonly most: number; readonly unit: 'utf8' | 'utf16' }>>> = {
  claude: { most: 10_000, unit: 'utf16' },
  codex: { most: 10_000, unit: 'utf8' },
}

const NOTE = '\n\n(The rest does not fit here; the memory has all of it.)'

export function fitted(text: string, client: HookClient): string {
  const limit = MOST[client]
  if (!limit) return text
  const { most, unit } = limit
  if (lengthOf(text, unit) <= most) return text
  const [closing = '', name = ''] = /\n<\/(\w+)>$/.exec(text) ?? []
  const head = linesWithin(text, most - NOTE.length - closing.length, unit)
  // A block of ours that the cut goes through is closed; in what a memory says there is no tag of that name.
  const isOpen = name !== '' && head.lastIndexOf(`<${name}>`) > head.lastIndexOf(`</${name}>`)
  return head + NOTE + (isOpen ? closing : '')
}

function lengthOf(text: string, unit: 'utf8' | 'utf16'): number {
  return unit === 'utf8' ? Buffer.byteLength(text) : text.length
}

/** To the end of a line, or within one that is most of it all. */
function linesWithin(text: string, room: number, unit: 'utf8' | 'utf16'): string {
  let cut = text.slice(0, room)
  while (lengthOf(cut, unit) > room) cut = cut.slice(0, Math.floor((cut.length * room) / lengthOf(cut, unit)) - 1)
  const line = cut.lastIndexOf('\n')
  return (line > cut.length / 2 ? cut.slice(0, line) : cut.replace(/[\uD800-\uDBFF]$/, '')).trimEnd()
}
