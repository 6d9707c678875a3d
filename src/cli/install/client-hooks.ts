/**
 * Which moments of a client call our hook. All three have the same shape: under `hooks` a list for each event, of groups that
 * hold a list of commands. None is told which sources or tools it is for, so that all are meant.
 */
import type { Entry, Places } from './clients.ts'
import { SERVER_NAME } from './server-command.ts'

export interface ClientHooks {
  readonly places: Places
  /** Its file may have no comments and no trailing commas. */
  readonly plainJson?: true
  /** Each with the seconds that the client should wait for it. */
  readonly events: Readonly<Record<string, number>>
  readonly entry: (command: string, seconds: number) => Entry
  /** How to see that they work. */
  readonly check: string
}

type WithoutPlaces = Omit<ClientHooks, 'places'>

/** A person waits for these. */
const GIVING_SECONDS = 10
/** A long transcript takes its time. */
const SAVING_SECONDS = 60

export const CLAUDE_HOOKS: WithoutPlaces = {
  plainJson: true,
  events: {
    SessionStart: GIVING_SECONDS,
    UserPromptSubmit: GIVING_SECONDS,
    PreCompact: SAVING_SECONDS,
    SessionEnd: SAVING_SECONDS,
  },
  entry: (command, timeout) => ({ type: 'command', command, timeout }),
  check: '/hooks in Claude Code',
}

/** It has no end of a session, so each turn is saved. */
export const CODEX_HOOKS: WithoutPlaces = {
  plainJson: true,
  events: { SessionStart: GIVING_SECONDS, UserPromptSubmit: GIVING_SECONDS, Stop: SAVING_SECONDS },
  entry: (command, timeout) => ({ type: 'command', command, timeout }),
  check: '/hooks in Codex: they count once you have said there that you trust them',
}

export const GEMINI_HOOKS: WithoutPlaces = {
  events: {
    SessionStart: GIVING_SECONDS,
    BeforeAgent: GIVING_SECONDS,
    PreCompress: SAVING_SECONDS,
    SessionEnd: SAVING_SECONDS,
  },
  entry: (command, seconds) => ({ type: 'command', name: SERVER_NAME, command, timeout: seconds * 1000 }),
  check: '/hooks in Gemini CLI',
}
