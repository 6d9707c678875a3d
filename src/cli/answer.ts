/** From the arguments to the outcome: finds the command, loads it, hands it what it was given. */
import { nearest } from '../model/nearest.ts'
import { type Arguments, checkOperands, parseArguments, parseLeading, usageError } from './arguments.ts'
import type { Command, Family, Outcome } from './command.ts'
import { contextFor } from './context.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { verbMeant } from './verb-meant.ts'
import { VERBS } from './verbs.ts'

export async function answer(args: readonly string[]): Promise<Outcome> {
  try {
    return await answerTo(args)
  } catch (error) {
    const called = await VERBS.get(verbMeant(args) ?? '')?.load()
    if (called && 'failed' in called && called.failed) return called.failed(error)
    throw error
  }
}

async function answerTo(args: readonly string[]): Promise<Outcome> {
  const { given: leading, rest } = parseLeading(args, GLOBAL_OPTIONS)
  const [verb, ...others] = rest
  if (leading.has('version')) return versionOutcome()
  if (verb === undefined || leading.has('help')) return helpOutcome(rest)
  if (verb === 'help') return helpOutcome(others)
  if (verb === '__complete') return completeOutcome(others)
  const called = await verbCalled(verb)
  return 'commands' in called ? answerOf(called, others, leading) : outcomeFor(called, others, leading)
}

/** The word behind the verb of a family may stand behind options of every command, as the verb itself may. */
async function answerOf(family: Family, args: readonly string[], leading: Arguments): Promise<Outcome> {
  const { given, rest } = parseLeading(args, GLOBAL_OPTIONS)
  const [word, ...others] = rest
  if (given.has('version')) return versionOutcome()
  if (given.has('help')) return helpOutcome([family.verb, ...rest])
  if (word === undefined) throw usageError(`${family.verb} needs COMMAND`, `See: keepsake ${family.verb} --help`)
  return outcomeFor(await memberCalled(family, word), others, given.over(leading))
}

async function outcomeFor(command: Command, args: readonly string[], leading: Arguments): Promise<Outcome> {
  const given = parseArguments(args, [...command.options, ...GLOBAL_OPTIONS]).over(leading)
  if (given.has('version')) return versionOutcome()
  if (given.has('help')) return helpOutcome(command.verb.split(' '))
  checkOperands(given, command)
  const { context, withWarnings, close } = contextFor(given)
  try {
    return await withWarnings(await command.run(context))
  } finally {
    await close()
  }
}

async function verbCalled(verb: string): Promise<Command | Family> {
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

async function memberCalled({ verb, commands }: Family, word: string): Promise<Command> {
  const known = commands.get(word)
  if (known) return known.load()
  const near = nearest(word, [...commands.keys()])
  const all = `See all: keepsake ${verb} --help`
  throw usageError(
    `there is no command "${verb} ${word}"`,
    near === undefined ? all : `Did you mean "${verb} ${near}"? ${all}`,
  )
}

async function helpOutcome(words: readonly string[]): Promise<Outcome> {
  const { commandHelp, familyHelp, generalHelp, HELP_TOPICS } = await import('./help.ts')
  const [asked, member] = words.filter((word) => !word.startsWith('-'))
  const page = async (verb: string): Promise<string> => {
    const called = await verbCalled(verb)
    if (!('commands' in called)) return commandHelp(called)
    return member === undefined ? familyHelp(called) : commandHelp(await memberCalled(called, member))
  }
  const text =
    asked === undefined || asked === 'help' ? generalHelp() : (HELP_TOPICS.get(asked)?.() ?? (await page(asked)))
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
