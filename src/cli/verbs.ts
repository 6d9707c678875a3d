/**
 * The table of commands: what each is for, where it stands in the help, and where it is loaded from once it is called, and
 * not before.
 */
import type { Command, Family } from './command.ts'

/** As the help shows them, in this order. */
export const GROUPS = ['Remember', 'Look', 'Past', 'Care', 'Setup'] as const

export interface Verb {
  readonly group: (typeof GROUPS)[number]
  readonly summary: string
  readonly load: () => Promise<Command | Family>
}

export const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  [
    'remember',
    {
      group: 'Remember',
      summary: "keep a text: in today's log, or under a name",
      load: async () => (await import('./commands/remember.ts')).remember,
    },
  ],
  [
    'learn',
    {
      group: 'Remember',
      summary: 'write or read a topic that every agent sees',
      load: async () => (await import('./commands/learn.ts')).learn,
    },
  ],
  [
    'reflect',
    {
      group: 'Remember',
      summary: "rewrite or read the agent's MEMORY.md",
      load: async () => (await import('./commands/reflect.ts')).reflect,
    },
  ],
  [
    'rename',
    {
      group: 'Remember',
      summary: 'give an entry another name; the old one stays an alias',
      load: async () => (await import('./commands/rename.ts')).rename,
    },
  ],
  [
    'alias',
    {
      group: 'Remember',
      summary: 'give an entry one more name, or take it away',
      load: async () => (await import('./commands/alias.ts')).alias,
    },
  ],
  [
    'forget',
    {
      group: 'Remember',
      summary: 'remove an entry; with --purge, every version of it',
      load: async () => (await import('./commands/forget.ts')).forget,
    },
  ],
  [
    'apply',
    {
      group: 'Remember',
      summary: 'apply a batch of operations from a file, all or nothing',
      load: async () => (await import('./commands/apply.ts')).apply,
    },
  ],
  [
    'session',
    {
      group: 'Remember',
      summary: 'keep a conversation: its turns, its window, its compactions',
      load: async () => (await import('./commands/session.ts')).session,
    },
  ],
  [
    'consolidate',
    {
      group: 'Remember',
      summary: 'let a model condense sessions: into the history and MEMORY.md',
      load: async () => (await import('./commands/consolidate.ts')).consolidate,
    },
  ],
  [
    'chat',
    {
      group: 'Remember',
      summary: 'talk with a model that has this memory',
      load: async () => (await import('./commands/chat.ts')).chat,
    },
  ],
  [
    'import',
    {
      group: 'Remember',
      summary: 'take in what other programs remember: Claude Code, OpenClaw, mem0 …',
      load: async () => (await import('./commands/import.ts')).importing,
    },
  ],
  [
    'recall',
    {
      group: 'Look',
      summary: 'search the memory; without a query, what an agent should know',
      load: async () => (await import('./commands/recall.ts')).recall,
    },
  ],
  ['show', { group: 'Look', summary: 'one entry, whole', load: async () => (await import('./commands/show.ts')).show }],
  [
    'list',
    {
      group: 'Look',
      summary: 'all entries, a line each',
      load: async () => (await import('./commands/list.ts')).list,
    },
  ],
  [
    'context',
    {
      group: 'Look',
      summary: 'what a model is given of the memory, and what that costs',
      load: async () => (await import('./commands/context.ts')).context,
    },
  ],
  [
    'log',
    {
      group: 'Past',
      summary: 'what was changed, when and by whom',
      load: async () => (await import('./commands/log.ts')).log,
    },
  ],
  [
    'undo',
    {
      group: 'Past',
      summary: 'take changes back, or bring them back',
      load: async () => (await import('./commands/undo.ts')).undo,
    },
  ],
  [
    'blame',
    {
      group: 'Past',
      summary: 'which change brought each line of an entry',
      load: async () => (await import('./commands/blame.ts')).blame,
    },
  ],
  [
    'review',
    {
      group: 'Care',
      summary: 'rewrites of MEMORY.md that wait for you: see, accept or reject them',
      load: async () => (await import('./commands/review.ts')).review,
    },
  ],
  [
    'accept',
    {
      group: 'Care',
      summary: 'take in files that were removed in bulk',
      load: async () => (await import('./commands/accept.ts')).accept,
    },
  ],
  [
    'embed',
    {
      group: 'Care',
      summary: 'make what is new findable by meaning',
      load: async () => (await import('./commands/embed.ts')).embed,
    },
  ],
  [
    'cleanup',
    {
      group: 'Care',
      summary: 'remove what has expired',
      load: async () => (await import('./commands/cleanup.ts')).cleanup,
    },
  ],
  [
    'doctor',
    {
      group: 'Care',
      summary: 'what is wrong with the files, and with --fix the mending of it',
      load: async () => (await import('./commands/doctor.ts')).doctor,
    },
  ],
  [
    'backup',
    {
      group: 'Care',
      summary: 'copy the whole memory to one file',
      load: async () => (await import('./commands/backup.ts')).backup,
    },
  ],
  [
    'restore',
    {
      group: 'Care',
      summary: 'restore a memory from a backup',
      load: async () => (await import('./commands/restore.ts')).restore,
    },
  ],
  [
    'move',
    {
      group: 'Care',
      summary: 'the whole memory in another store: a folder, one file, a server',
      load: async () => (await import('./commands/move.ts')).move,
    },
  ],
  [
    'export',
    {
      group: 'Care',
      summary: 'the memory as a new folder of Markdown files',
      load: async () => (await import('./commands/export.ts')).exportFolder,
    },
  ],
  [
    'eval',
    {
      group: 'Care',
      summary: 'how well recall finds: your own questions, or data with known answers',
      load: async () => (await import('./commands/eval.ts')).evaluate,
    },
  ],
  [
    'init',
    {
      group: 'Setup',
      summary: 'make a workspace here',
      load: async () => (await import('./commands/init.ts')).init,
    },
  ],
  [
    'config',
    {
      group: 'Setup',
      summary: 'each value that counts here, and where it comes from',
      load: async () => (await import('./commands/config.ts')).config,
    },
  ],
  [
    'setup',
    {
      group: 'Setup',
      summary: 'install what search by meaning needs',
      load: async () => (await import('./commands/setup.ts')).setup,
    },
  ],
  [
    'serve',
    {
      group: 'Look',
      summary: 'a page to see, search and mend the memory, with an API and MCP',
      load: async () => (await import('./commands/serve.ts')).serve,
    },
  ],
  [
    'mcp',
    {
      group: 'Setup',
      summary: 'serve the memory to programs that speak MCP',
      load: async () => (await import('./commands/mcp.ts')).mcp,
    },
  ],
  [
    'hook',
    {
      group: 'Setup',
      summary: 'what an agent program calls by itself while it works',
      load: async () => (await import('./commands/hook.ts')).hook,
    },
  ],
  [
    'install',
    {
      group: 'Setup',
      summary: 'give the memory to an agent program: claude, codex, gemini, opencode …',
      load: async () => (await import('./commands/install.ts')).install,
    },
  ],
  [
    'uninstall',
    {
      group: 'Setup',
      summary: 'take that back',
      load: async () => (await import('./commands/uninstall.ts')).uninstall,
    },
  ],
  [
    'completion',
    {
      group: 'Setup',
      summary: 'a script that completes commands, options and names in your shell',
      load: async () => (await import('./commands/completion.ts')).completion,
    },
  ],
])
