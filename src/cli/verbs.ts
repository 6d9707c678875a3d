/** The table of commands: what each is for, and where it is loaded from once it is called, and not before. */
import type { Command } from './command.ts'

export interface Verb {
  readonly summary: string
  readonly load: () => Promise<Command>
}

export const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['init', { summary: 'make a workspace here', load: async () => (await import('./commands/init.ts')).init }],
  [
    'remember',
    {
      summary: "keep a text: in today's log, or under a name",
      load: async () => (await import('./commands/remember.ts')).remember,
    },
  ],
  [
    'recall',
    {
      summary: 'what an agent should know: the world, its memory, its last days',
      load: async () => (await import('./commands/recall.ts')).recall,
    },
  ],
  [
    'learn',
    {
      summary: 'write or read a topic that every agent sees',
      load: async () => (await import('./commands/learn.ts')).learn,
    },
  ],
  [
    'reflect',
    {
      summary: "rewrite or read the agent's MEMORY.md",
      load: async () => (await import('./commands/reflect.ts')).reflect,
    },
  ],
  ['forget', { summary: 'remove an entry', load: async () => (await import('./commands/forget.ts')).forget }],
  [
    'rename',
    {
      summary: 'give an entry another name; the old one stays an alias',
      load: async () => (await import('./commands/rename.ts')).rename,
    },
  ],
  [
    'alias',
    {
      summary: 'give an entry one more name, or take it away',
      load: async () => (await import('./commands/alias.ts')).alias,
    },
  ],
  ['show', { summary: 'one entry, whole', load: async () => (await import('./commands/show.ts')).show }],
  ['list', { summary: 'all entries, a line each', load: async () => (await import('./commands/list.ts')).list }],
])
