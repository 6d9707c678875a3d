/** What is wrong with the text of one file: cut off by a crash, or not to be understood. */
import { lineOfBlock } from '../../../codec/log.ts'
import { KINDS } from '../../../model/kinds.ts'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import type { Scene } from './evidence.ts'
import type { SeenText } from './texts.ts'

const SAY_WHEN = 'It is kept as if it did not end. Write a time such as 2026-11-15T14:03:00Z, or take that out.'
const MEND = 'It is left as it is. Mend it in an editor, or restore it from a backup.'

export function checkText(seen: SeenText, scene: Scene): Finding[] {
  const { place, bytes, text } = seen
  if (scene.unwritten.has(place.path)) return []
  if (text.includes('\0')) {
    const line = text.slice(0, text.indexOf('\0')).split('\n').length
    const hint = 'Most often a power cut did that. Restore it from a backup, or remove them in an editor.'
    return [finding('nul-bytes', place.path, `line ${line}: it holds NUL bytes`, hint)]
  }
  const { shape } = KINDS[place.kind]
  if (shape === 'card' && bytes.length === 0) {
    if (!scene.workspace.catalog.files.get(place.path)?.size) {
      const hint = 'It counts as an entry without a text. Write one, or delete the file.'
      return [finding('blank-card', place.path, 'it is empty', hint)]
    }
    const hint =
      'A crash, or a program that failed to save, may have emptied it. Restore it: "keepsake log" shows its text.'
    return [finding('empty-card', place.path, 'it is empty, and the journal has a text for it', hint)]
  }
  return shape === 'log' ? brokenBlocks(seen, scene) : brokenCard(seen)
}

export function checkUnwritten({ unwritten }: Scene): Finding[] {
  return [...unwritten].map((path) => {
    const problem = 'a crash kept its last change from being written; the journal has it'
    return finding('unwritten-file', path, problem, 'The next write, or --fix, writes it.')
  })
}

function brokenCard({ place, said }: SeenText): Finding[] {
  return said.problems.map((problem) => {
    if (said.entries.length > 0 && said.undated?.includes(problem))
      return finding('unreadable-expiry', place.path, problem, SAY_WHEN)
    const isKind = /^(?:line \d+: )?kind: /.test(problem)
    return finding(isKind ? 'unknown-kind' : 'broken-card', place.path, problem, MEND)
  })
}

function brokenBlocks({ place, text, said }: SeenText, scene: Scene): Finding[] {
  const torn = tornEnd(text, scene.journal.lastAppends.get(place.path))
  const blocks = said.log?.blocks ?? []
  const broken = blocks.flatMap(({ heading, problem, entry }, index) => {
    if (problem === undefined || (torn !== undefined && index === blocks.length - 1)) return []
    const told = `under "## ${heading}": ${problem}`
    // Another time than that of the end is as any other attribute.
    if (problem !== entry.undated || !problem.startsWith('expires:'))
      return finding('broken-log-entry', place.path, told, MEND)
    const line = said.log ? `line ${lineOfBlock(said.log, index)}: ` : ''
    return finding('unreadable-expiry', place.path, line + told, SAY_WHEN)
  })
  if (torn === undefined) return broken
  const hint = 'Restore the file from a backup, or complete the entry in an editor.'
  return [...broken, finding('torn-log-entry', place.path, torn, hint)]
}

/** Why the end of a log looks cut off; a mere lack of a final newline is most often an editor's. */
function tornEnd(text: string, lastAppend: string | undefined): string | undefined {
  if (text === '' || text.endsWith('\n')) return undefined
  const lastLine = text.slice(text.lastIndexOf('\n') + 1)
  if (lastLine.startsWith('<!-- {') && !lastLine.trimEnd().endsWith('-->')) {
    return 'its last entry is cut off within its attributes'
  }
  if (/^##? \d[\d:TZ.-]*$/.test(lastLine) && !/^## (?:\d\d:\d\d|.{24})$/.test(lastLine)) {
    return 'its last entry is cut off within its heading'
  }
  const appended = lastAppend?.trim()
  const attributesEnd = appended?.indexOf('-->') ?? -1
  if (appended === undefined || attributesEnd === -1) return undefined
  const at = text.lastIndexOf(appended.slice(0, attributesEnd))
  const rest = at === -1 ? '' : text.slice(at)
  const isCut = rest !== '' && rest.length < appended.length && appended.startsWith(rest)
  return isCut ? 'its last entry is cut off: the journal has more of it' : undefined
}
