/** `keepsake session import`: a transcript that an agent program has kept, taken in as a session of ours. */
import { resolve } from 'node:path'
import { InvalidError } from '../../../errors.ts'
import { defaultExpiry, isExpired } from '../../../model/expiry.ts'
import { instant } from '../../../model/time.ts'
import {
  formatOf,
  type ImportedTurn,
  isTranscriptOf,
  readTranscript,
  TRANSCRIPT_FORMATS,
  type TranscriptFormat,
} from '../../../session/import/index.ts'
import { usageError } from '../../arguments.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { warningsJson } from '../../entry-json.ts'
import { rowsText } from '../../entry-text.ts'
import { namedFile } from '../../named-file.ts'
import { brokenWarnings, turnsPhrase } from '../../session-text.ts'
import { standardInput } from '../../text-operand.ts'

/** As their makers write them. */
const PROGRAMS: Readonly<Record<TranscriptFormat, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
}

export const importing: Command = {
  verb: 'session import',
  operands: [{ name: 'FILE' }],
  about: [
    'Takes in what was said in a transcript of Claude Code, Codex or Gemini CLI; FILE "-" is standard input. Each message',
    'is taken once: of a file that has grown, only what is new. What the program put in by itself (reminders, contexts,',
    'summaries, thinking) is left out, and so is what keepsake gave it; results of tools are cut to 2,000 characters.',
  ],
  options: [
    { name: 'from', value: TRANSCRIPT_FORMATS.join('|'), about: 'whose transcript it is; else its first lines tell' },
    { name: 'key', value: 'SESSION', about: 'the session to add to; else the name of the program and its own id' },
  ],
  examples: [
    'keepsake session import ~/.claude/projects/-home-me-app/0198e7c2-….jsonl',
    'keepsake session import rollout.jsonl --from codex --key billing',
  ],
  run,
}

async function run({ given, asked, screen, openToWrite }: Context): Promise<Outcome> {
  const file = given.operand(0)
  const { memory } = await openToWrite()
  const source = file === '-' ? 'standard input' : file
  const bytes = file === '-' ? await standardInput() : namedFile(resolve(asked.cwd, file), file)
  // The program may be writing at this moment, so the end may lie within a character.
  const text = new TextDecoder().decode(bytes)
  const format = parseFormat(given.one('from')) ?? formatOf(text)
  if (!format) {
    throw new InvalidError('FILE', `${source} is no transcript that is known here`, `a transcript of ${allPrograms()}`)
  }
  const { sessionId, turns, given: givenByUs, skipped } = readTranscript(text, format)
  if (turns.length === 0 && !isTranscriptOf(format, text)) {
    throw new InvalidError(
      'FILE',
      `${source} is no transcript of ${PROGRAMS[format]}`,
      'one; without --from its first lines tell',
    )
  }
  const key = given.one('key') ?? (sessionId === undefined ? undefined : `${format}-${sessionId}`)
  if (key === undefined) {
    throw usageError(`${source} does not say which session it is of`, 'Say to which one it is added: --key SESSION')
  }
  const { added, grown, already, warnings: told } = await memory.session(key).import(turns, { given: givenByUs })
  const warnings = [...brokenWarnings(source, skipped), ...told]
  const rows = rowsText(
    [
      ['new', turnsPhrase(added)],
      ['grown', grown === 0 ? undefined : turnsPhrase(grown)],
      ['known', already === 0 ? undefined : turnsPhrase(already)],
      ['from', PROGRAMS[format]],
    ],
    screen,
  )
  // Whoever looks for them would think that they are lost.
  const old = added > 0 && turns.some(isTooOldToFind)
  const note = 'Old turns outside the window are in the transcript only; search does not find them.'
  const done = added + grown === 0 ? `Nothing new for session "${key}"` : `Imported into session "${key}"`
  return {
    json: { key, from: format, added, grown, already, skipped, ...warningsJson(warnings) },
    text: [screen.line(done), ...rows, ...(old ? [screen.dim(note)] : [])].join('\n'),
    quietText: '',
    warnings,
  }
}

/** What slides out of the window lives as long as what is said today, from the day that it was said on. */
function isTooOldToFind({ role, at }: ImportedTurn): boolean {
  if (role === 'tool' || at === undefined) return false
  return isExpired({ expiresAt: defaultExpiry('conversation', at, 'UTC') }, instant(Date.now()))
}

function parseFormat(text: string | undefined): TranscriptFormat | undefined {
  const format = TRANSCRIPT_FORMATS.find((known) => known === text)
  if (text === undefined || format) return format
  throw new InvalidError(
    'from',
    `"${text}" is not a program whose transcripts are known`,
    TRANSCRIPT_FORMATS.join(', '),
  )
}

function allPrograms(): string {
  return `${PROGRAMS.claude}, ${PROGRAMS.codex} or ${PROGRAMS.gemini}; say --from if it is one`
}
