/** The lines of a transcript: one that can't be read is damage, a first one without its metadata is to be looked at. */
import { bytesOfMark, keyProblem, metadataIn } from '../session-metadata.ts'
import { NEWLINE, recordsIn } from '../session-tail.ts'
import { counted, type Finding, finding } from './finding.ts'

export const MEND = 'The line is skipped and left as it is. Mend it in an editor, or restore the file from a backup.'
const SAY_METADATA =
  'The session counts as one without it. Its first line should be as {"key":"chat-1","createdAt":"2026-11-15T14:03:00.000Z"}.'
const NAME_IT = 'Rename the file, or write the key that is meant into its first line. It is left as it is.'

/** A first line that is no JSON is one of the broken lines. */
export function metadataFindings(path: string, name: string, bytes: Uint8Array): Finding[] {
  const end = bytes.indexOf(NEWLINE)
  if (end === -1) return []
  const line = bytes.subarray(0, end)
  const { meta, problem } = metadataIn(line)
  const astray = keyProblem(name, meta['key'])
  const isBroken = !recordsIn(line.subarray(bytesOfMark(line)))
  return [
    ...(problem === undefined || isBroken
      ? []
      : [finding('session-metadata', path, `line 1: ${problem}`, SAY_METADATA)]),
    ...(astray === undefined ? [] : [finding('session-key', path, astray, NAME_IT)]),
  ]
}

export function brokenLines(path: string, bytes: Uint8Array): Finding[] {
  const broken: number[] = []
  let line = 1
  for (let at = bytesOfMark(bytes), end = bytes.indexOf(NEWLINE); end !== -1; line++) {
    if (!recordsIn(bytes.subarray(at, end))) broken.push(line)
    at = end + 1
    end = bytes.indexOf(NEWLINE, at)
  }
  if (broken.length === 0) return []
  const more = broken.length > 1 ? `, and ${counted(broken.length - 1, 'line', 'lines')} more` : ''
  return [finding('broken-session-line', path, `line ${broken[0]} can not be read${more}`, MEND)]
}
