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
  if (verb === '__complete') return completeOutcome(others)
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

async function helpOutcome(asked: string | undefined): Promise<Outcome> {
  const { commandHelp, generalHelp, HELP_TOPICS } = await import('./help.ts')
  const text =
    asked === undefined || asked === 'help'
      ? generalHelp()
      : (HELP_TOPICS.get(asked)?.() ?? commandHelp(await commandCalled(asked)))
  return { json: { help: text }, text, quietText: text, warnings: [] }
}

/** For the scripts of `keepsake completion`; not in the table of commands, since no person calls it. */
async function completeOutcome([, ...words]: readonly string[]): Promise<Outcome> {
  const { complete } = await import('./complete.ts')
  const candidates = await complete(words)
  const text = candidates.map(({ value, about }) => (about === undefined ? value : `${value}\t${about}`)).join('\n')
  return { json: { candidates }, text, quietText: text, warnings: [] }
}

async function versionOutcome(): Promise<Outcome> {
  const { programVersion } = await import('./version.ts')
  const version = programVersion()
  return { json: { version }, text: version, quietText: version, warnings: [] }
}
