/** A client's file before and after, as a unified diff that shows no token. */
import type { Context, Outcome } from '../command.ts'
import { diffText } from '../diff-text.ts'
import { Screen } from '../screen.ts'
import type { ConfigFile } from './config-file.ts'

/** What a trial says: the change, or `unchanged` where there is none. */
export function triedOutcome(
  { screen, asked }: Context,
  file: ConfigFile,
  after: string | undefined,
  json: object,
  unchanged: string,
): Outcome {
  const plain = new Screen({ hasColor: false, cwd: asked.cwd })
  const diff = fileDiff(file, after, screen)
  return {
    json: { ...json, diff: fileDiff(file, after, plain), dryRun: true },
    text: diff === '' ? unchanged : `${diff}\n\nNothing was written.`,
    quietText: diff,
    warnings: [],
  }
}

/** '' where nothing changes. */
function fileDiff({ path, text }: ConfigFile, after: string | undefined, screen: Screen): string {
  if (text === after) return ''
  const name = screen.path('', path)
  return [
    screen.bold(`--- ${text === undefined ? '/dev/null' : name}`),
    screen.bold(`+++ ${after === undefined ? '/dev/null' : name}`),
    ...diffText(withoutLastNewline(text), withoutLastNewline(after), screen),
  ]
    .join('\n')
    .replace(/Bearer [^\s"']+/g, 'Bearer TOKEN')
}

/** The end of the last line is no line of its own. */
function withoutLastNewline(text = ''): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}
