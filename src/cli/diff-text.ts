/** What became of a text, as people read it: hunks of lines, marked as `diff -u` marks them. */
import { type DiffLine, type Hunk, hunksOf, lineDiff } from '../history/line-diff.ts'
import type { Screen } from './screen.ts'

/** `mostLines`: what goes beyond is counted, not shown. */
export function diffText(
  before: string,
  after: string,
  screen: Screen,
  mostLines: number = Number.POSITIVE_INFINITY,
): string[] {
  const lines = hunksOf(lineDiff(before, after)).flatMap((hunk) => hunkText(hunk, screen))
  const shown = lines.slice(0, mostLines)
  const more = lines.length - shown.length
  return more > 0 ? [...shown, screen.dim(`… ${more} more lines`)] : shown
}

function hunkText({ before, after, lines }: Hunk, screen: Screen): string[] {
  const count = (other: DiffLine['kind']): number => lines.filter(({ kind }) => kind !== other).length
  return [
    screen.cyan(`@@ -${before},${count('added')} +${after},${count('removed')} @@`),
    ...lines.map((line) => lineText(line, screen)),
  ]
}

function lineText({ kind, text }: DiffLine, screen: Screen): string {
  if (kind === 'removed') return screen.red(`-${text}`)
  return kind === 'added' ? screen.green(`+${text}`) : ` ${screen.plain(text)}`
}
