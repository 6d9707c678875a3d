/** Help for people who are new here. Golden files in test/cli/golden hold every page of it. */
import type { Command, Option } from './command.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { VERBS } from './verbs.ts'

const COLUMNS = 100

export function generalHelp(): string {
  const verbs = [...VERBS].map(([verb, { summary }]): [string, string] => [verb, summary])
  return [
    'keepsake: memory for AI agents, in Markdown files that people can read.',
    '',
    'Usage: keepsake COMMAND [options]',
    '',
    'Commands:',
    ...table(verbs),
    '',
    'Options of every command:',
    ...table(GLOBAL_OPTIONS.map(optionRow)),
    '',
    'Begin with:',
    '  keepsake init',
    '  keepsake remember "The staging server is called heron."',
    '  keepsake recall',
    '',
    'More about a command: keepsake COMMAND --help',
    '',
    'KEEPSAKE_WORKSPACE and KEEPSAKE_AGENT in the environment stand for --workspace and --agent.',
    'Exit status: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict or lock, 130 interrupted.',
  ].join('\n')
}

export function commandHelp({ verb, operands, about, options, examples }: Command): string {
  const usage = operands.map(({ name, optional }) => (optional ? `[${name}]` : name))
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

function optionRow({ name, value, about }: Option): [string, string] {
  return [value === undefined ? `--${name}` : `--${name} ${value}`, about]
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([word]) => word.length))
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
