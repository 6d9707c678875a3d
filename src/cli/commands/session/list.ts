/** `keepsake session list`: all sessions of the agent, the one that was last spoken in first. */
import type { SessionSummary } from '../../../memory.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { warningsJson } from '../../entry-json.ts'
import { noMemoryText } from '../../no-memory-text.ts'
import { sessionsText } from '../../session-text.ts'

export const list: Command = {
  verb: 'session list',
  operands: [],
  about: [
    'Lists the sessions of the agent: when something was last said, its key, how many turns count, when it began. With',
    '--quiet, prints only the keys.',
  ],
  options: [],
  examples: ['keepsake session list', 'keepsake session list --agent scout --json'],
  run,
}

async function run({ screen, open }: Context): Promise<Outcome> {
  const opened = await open()
  const { memory } = opened
  const { timezone: zone } = await memory.store.settings()
  const sessions = (await memory.sessions()).toSorted(lastSpokenInFirst)
  const text = sessionsText(sessions, { screen, zone })
  const warnings = sessions.flatMap(({ key, problem }) => (problem === undefined ? [] : `session "${key}": ${problem}`))
  return {
    json: { sessions, ...warningsJson(warnings) },
    text: sessions.length === 0 ? (noMemoryText(opened, screen) ?? 'There are no sessions.') : text,
    quietText: sessions.map(({ key }) => screen.line(key)).join('\n'),
    warnings,
  }
}

function lastSpokenInFirst({ lastAt: a }: SessionSummary, { lastAt: b }: SessionSummary): number {
  const [atA, atB] = [a ?? '', b ?? '']
  return atA < atB ? 1 : atA > atB ? -1 : 0
}
