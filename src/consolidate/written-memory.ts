/**
 * What of a model's rewrite is meant to be MEMORY.md: without what models put around it, with the line ends that the memory has, and
 * with its own letters where the prompt had shown it a line with a dot in it. Pure.
 */
import { keepableText, stripFinalNewlines } from '../model/content.ts'
import { memoryAsShown } from '../prompt/consolidation-prompt.ts'
import { restoreOriginalLines } from '../prompt/neutral.ts'
import { TITLES } from '../prompt/section-titles.ts'

/** What models write where they mean that there is nothing to write. */
const SAYS_NOTHING =
  /^(?:no (?:new )?(?:changes?|updates?|additions?|new (?:facts|information))(?: (?:is |are )?(?:needed|required|necessary))?|un-?changed|n\/?a|none|null|nil|undefined|empty|nothing(?: new)?|same(?: as (?:before|above))?|(?:memory )?(?:remains|stays) (?:unchanged|the same)|true|false|string|keep as is|as is)$/i

/** Longer than all of these. */
const LONGEST_NOTHING = 60

const FENCED = /^(`{3,}|~{3,})[ \t]*(?:markdown|md|text|txt)?[ \t]*\r?\n([\s\S]*)\n\1[ \t]*$/i

/** `undefined`: it says that nothing is to be changed. */
export function writtenMemory(update: string, seen: string): string | undefined {
  const text = stripFinalNewlines(unwrapped(keepableText(update), seen))
  if (saysNothing(text)) return undefined
  return restoreOriginalLines(withLineEndsOf(seen, text), seen, memoryAsShown(seen))
}

function saysNothing(text: string): boolean {
  const words = text.trim()
  if (words.length > LONGEST_NOTHING) return false
  const bare = words.replace(/^[\s([<"'*_]+|[\s)\]>"'*_.!]+$/g, '')
  return bare === '' || /^[\s.…-]*$/.test(bare) || SAYS_NOTHING.test(bare.replace(/\s+/g, ' '))
}

/** A fence around all of it, and our own heading above it, unless the memory itself begins so. */
function unwrapped(update: string, seen: string): string {
  const [, , fenced] = seen.trimStart().startsWith('```') ? [] : (FENCED.exec(update.trim()) ?? [])
  const text = fenced ?? update
  const heading = `## ${TITLES.memory}`
  const isEcho = text.trimStart().startsWith(`${heading}\n`) && !seen.trimStart().startsWith(heading)
  return isEcho ? text.trimStart().slice(heading.length).trimStart() : text
}

/** Models write the ends of line that they are used to. The memory keeps its own; where it has both, those that it has more of. */
function withLineEndsOf(seen: string, text: string): string {
  const plain = text.replaceAll('\r\n', '\n')
  if (plain === seen.replaceAll('\r\n', '\n')) return seen
  const ends = seen.split('\n').slice(0, -1)
  const returns = ends.filter((line) => line.endsWith('\r')).length
  return returns > ends.length / 2 ? plain.replaceAll('\n', '\r\n') : plain
}
