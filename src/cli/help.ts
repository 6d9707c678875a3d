/** Help for people who are new here. Golden files in test/cli/golden hold every page of it. */
import type { Command, Family, Operand, Option } from './command.ts'
import { EXIT_STATUS } from './exit-status.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { GROUPS, VERBS, type Verb } from './verbs.ts'

const COLUMNS = 100

export function generalHelp(): string {
  return [
    'keepsake: memory for AI agents, in Markdown files that people can read.',
    'What is written is kept safely, can be edited by hand at any time, and every change can be undone.',
    '',
    'Usage: keepsake COMMAND [options]',
    '',
    'Begin with:',
    '  keepsake init',
    '  keepsake remember "The staging server is called heron."',
    '  keepsake recall',
    '',
    ...GROUPS.flatMap((group) => [`${group}:`, ...groupTable(group), '']),
    'Options of every command:',
    ...table(GLOBAL_OPTIONS.map(optionRow)),
    '',
    'More about a command: keepsake COMMAND --help',
    'More to read: keepsake help exit-codes, keepsake help environment',
  ].join('\n')
}

/** What belongs to no command. */
export const HELP_TOPICS: ReadonlyMap<string, () => string> = new Map([
  ['exit-codes', exitCodesHelp],
  ['environment', environmentHelp],
])

function exitCodesHelp(): string {
  const codes = (status: number): string =>
    Object.entries(EXIT_STATUS)
      .flatMap(([code, its]) => (its === status ? [code] : []))
      .join(', ')
  const row = (status: number, what: string): [string, string] => [String(status), `${what}: ${codes(status)}`]
  return [
    'The status that a command ends with, and the codes of the errors behind it:',
    '',
    ...table([
      ['0', 'done'],
      row(1, 'failed'),
      row(2, 'wrong usage'),
      row(3, 'not found'),
      row(4, 'conflict or lock'),
      row(130, 'interrupted'),
    ]),
    '',
    'To read, a workspace or an agent that you name must exist; otherwise the status is 3. A write creates both. If you',
    'name none and there is no memory yet, the answer is empty and the status is 0.',
    '',
    'With --json an error is {"error":{"code","message","hint"}} on standard output.',
  ].join('\n')
}

function environmentHelp(): string {
  return ['Variables that keepsake looks at; an option of the command wins over them:', '', ...table(ENVIRONMENT)].join(
    '\n',
  )
}

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['KEEPSAKE_WORKSPACE', 'stands for --workspace'],
  ['KEEPSAKE_AGENT', 'stands for --agent'],
  ['KEEPSAKE_CONFIG', 'stands for --config'],
  [
    'KEEPSAKE_EMBEDDING_MODEL',
    'all-MiniLM-L6-v2, or none for search by words alone; wins over embedding_model of agent.yaml',
  ],
  ['PGPASSWORD', 'the password of a PostgreSQL server; a line in ~/.pgpass does the same'],
  ['KEEPSAKE_CHROMA_TOKEN', 'the token of a Chroma server; wins over token of agent.yaml, and keeps it out of files'],
  [
    'KEEPSAKE_MCP_TOKEN',
    'the token that clients of "keepsake mcp --http" and "keepsake serve" must send; an alternative to --token-file',
  ],
  ['XDG_STATE_HOME', 'where keepsake/token and keepsake/workspaces.json are kept; default ~/.local/state'],
  [
    'OPENAI_MODEL',
    'the model that "chat" and "consolidate" ask, where agent.yaml names none; needs one of the next two',
  ],
  ['OPENAI_BASE_URL', 'a server that speaks the protocol of OpenAI: Ollama, LM Studio, vLLM, llama.cpp'],
  ['OPENAI_API_KEY', 'the key that it asks for'],
  ['ANTHROPIC_MODEL', 'the same of Anthropic, with ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL'],
  ['NO_COLOR', 'set to anything: no colours'],
  ['FORCE_COLOR', 'set to anything but 0: colours, even where the output is not a terminal; wins over NO_COLOR'],
  ['TERM', '"dumb": no colours'],
]

function groupTable(group: Verb['group']): string[] {
  const width = Math.max(...[...VERBS.keys()].map((verb) => verb.length))
  const rows = [...VERBS].flatMap(([verb, its]): [string, string][] =>
    its.group === group ? [[verb, its.summary]] : [],
  )
  return table(rows, width)
}

export function commandHelp({ verb, operands, about, options, examples }: Command): string {
  const usage = operands.map(operandText)
  return [
    `Usage: ${['keepsake', verb, ...usage, '[options]'].join(' ')}`,
    '',
    ...about,
    '',
    ...(options.length === 0 ? [] : ['Options:', ...table(options.map(optionRow)), '']),
    'Options of every command:',
    ...table(GLOBAL_OPTIONS.map(optionRow)),
    '',
    examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples.map((example) => `  ${example}`),
  ].join('\n')
}

export function familyHelp({ verb, about, commands, examples }: Family): string {
  return [
    `Usage: keepsake ${verb} COMMAND [options]`,
    '',
    ...about,
    '',
    'Commands:',
    ...table([...commands].map(([word, { summary }]) => [word, summary])),
    '',
    'Options of every command:',
    ...table(GLOBAL_OPTIONS.map(optionRow)),
    '',
    `More about one of them: keepsake ${verb} COMMAND --help`,
    '',
    examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples.map((example) => `  ${example}`),
  ].join('\n')
}

function operandText({ name, optional, many }: Operand): string {
  const word = many ? `${name}…` : name
  return optional ? `[${word}]` : word
}

function optionRow({ name, value, about }: Option): [string, string] {
  return [value === undefined ? `--${name}` : `--${name} ${value}`, about]
}

function table(rows: readonly (readonly [string, string])[], least = 0): string[] {
  const width = Math.max(least, ...rows.map(([word]) => word.length))
  return rows.flatMap(([word, about]) => {
    const [first = '', ...rest] = wrapped(about, COLUMNS - width - 4)
    return [`  ${word.padEnd(width)}  ${first}`, ...rest.map((line) => ' '.repeat(width + 4) + line)]
  })
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
