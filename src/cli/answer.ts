/** From the arguments to the outcome: finds the command, loads it, hands it what it was given. */
import { checkOperands, parseArguments, parseLeading, usageError } from './arguments.ts'
import type { Command, Outcome } from './command.ts'
import { contextFor } from './context.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { nearest } from './nearest.ts'
import { VERBS } from './verbs.ts'

export async function answer(args: readonly string[]): Promise<Outcome> {
  const { given: leading, rest } = parseLeading(args, GLOBAL_OPTIONS)
  const [verb, ...others] = rest
  if (leading.has('version')) return versionOutcome()
  if (verb === undefined || leading.has('help')) return helpOutcome(verb)
  if (verb === 'help') return helpOutcome(others.find((word) => !word.startsWith('-')))
  const command = await commandCalled(verb)
  const given = parseArguments(others, [...command.options, ...GLOBAL_OPTIONS]).over(leading)
  if (given.has('version')) return versionOutcome()
  if (given.has('help')) return helpOutcome(verb)
  checkOperands(given, command)
  const { context, close } = contextFor(given)
  try {
    return await command.run(context)
  } finally {
    await close()
  }
}

async function commandCalled(verb: string): Promise<Command> {
  const known = VERBS.get(verb)
  if (known) return known.load()
  const near = nearest(verb, [...VERBS.keys(), 'help'])
  throw usageError(
    `there is no command "${verb}"`,
    near === undefined
      ? 'See all commands: keepsake --help'
      : `Did you mean "${near}"? See all commands: keepsake --help`,
  )
}

async function helpOutcome(verb: string | undefined): Promise<Outcome> {
  const { commandHelp, generalHelp } = await import('./help.ts')
  const text = verb === undefined || verb === 'help' ? generalHelp() : commandHelp(await commandCalled(verb))
  return { json: { help: text }, text, quietText: text, warnings: [] }
}

async function versionOutcome(): Promise<Outcome> {
  const { readFileSync } = await import('node:fs')
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return { json: { version }, text: version, quietText: version, warnings: [] }
}
