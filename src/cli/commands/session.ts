/** `keepsake session`: conversations, kept as transcripts; a command for each thing that is done with one. */
import type { Family } from '../command.ts'

export const session: Family = {
  verb: 'session',
  about: [
    'A session is one conversation of an agent. Its turns are appended to a transcript, and nothing is ever taken out of',
    'that. A model is given the window: the last exchanges, and before them what stands for all that was compacted. What',
    'slides out of the window is remembered as kind "conversation" and found by recall. More: docs/sessions.md.',
  ],
  commands: new Map([
    [
      'append',
      {
        summary: 'add a turn; the first one makes the session',
        load: async () => (await import('./session/append.ts')).append,
      },
    ],
    [
      'show',
      {
        summary: 'what counts of a session: the archive, then the turns after it',
        load: async () => (await import('./session/show.ts')).show,
      },
    ],
    [
      'window',
      {
        summary: 'the messages that a model is given',
        load: async () => (await import('./session/window.ts')).window,
      },
    ],
    [
      'compact',
      {
        summary: 'put a summary in the place of the turns so far',
        load: async () => (await import('./session/compact.ts')).compact,
      },
    ],
    [
      'reset',
      {
        summary: 'begin anew: what was said so far counts no more',
        load: async () => (await import('./session/reset.ts')).reset,
      },
    ],
    [
      'list',
      {
        summary: 'all sessions, a line each',
        load: async () => (await import('./session/list.ts')).list,
      },
    ],
    [
      'import',
      {
        summary: 'take in a transcript of Claude Code, Codex or Gemini CLI',
        load: async () => (await import('./session/import.ts')).importing,
      },
    ],
  ]),
  examples: [
    'keepsake session append chat-1 --role user "We moved to Postgres 17."',
    'keepsake session compact chat-1 --summary "Moved to Postgres 17."',
    'keepsake session show chat-1',
  ],
}
