/** A client's file before and after, as a unified diff. */
import { diffText } from '../diff-text.ts'
import type { Screen } from '../screen.ts'
import type { ConfigFile } from './config-file.ts'

/** '' where nothing changes. */
export function fileDiff({ path, text }: ConfigFile, after: string | undefined, screen: Screen): string {
  if (text === after) return ''
  const name = screen.path('', path)
  return [
    screen.bold(`--- ${text === undefined ? '/dev/null' : name}`),
    screen.bold(`+++ ${after === undefined ? '/dev/null' : name}`),
    ...diffText(withoutLastNewline(text), withoutLastNewline(after), screen),
  ].join('\n')
}

/** The end of the last line is no line of its own. */
function withoutLastNewline(text = ''): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}
