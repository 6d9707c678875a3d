/**
 * What could stand where the cursor is, for the scripts of `keepsake completion`. It is asked at every press of a key, so
 * it never fails, never complains and never writes; where it knows nothing, the shell's own completion takes over.
 */
import type { Command, Family, Operand, Option } from './command.ts'
import type { Candidate } from './complete-names.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { VERBS } from './verbs.ts'

const MOST_NAMES = 50

/** `words`: what follows the program's name, up to and with the word at the cursor, which may be empty. */
export async function complete(words: readonly string[]): Promise<readonly Candidate[]> {
  try {
    const candidates = await candidatesFor(words.slice(0, -1), words.at(-1) ?? '')
    return candidates.filter(({ value }) => !/\p{Cc}/u.test(value))
  } catch {
    return []
  }
}

async function candidatesFor(before: readonly string[], current: string): Promise<readonly Candidate[]> {
  const line = await read(before)
  if (line.afterDashes) return operandCandidates(line, current)
  if (line.pending) return starting(current, await valuesFor(line.pending.value ?? '', line))
  const inline = /^--([^=]+)=(.*)$/s.exec(current)
  if (inline) {
    const [, name = '', value = ''] = inline
    const option = line.options.find((known) => known.name === name)
    const values = starting(value, await valuesFor(option?.value ?? '', line))
    return values.map((candidate) => ({ ...candidate, value: `--${name}=${candidate.value}` }))
  }
  if (current.startsWith('-')) return starting(current, optionCandidates(line))
  return operandCandidates(line, current)
}

/** The words before the cursor, as far as they make sense. */
interface Line {
  readonly command: Command | undefined
  /** The word that says which of these is still to come. */
  readonly family: Family | undefined
  readonly verb: string | undefined
  readonly options: readonly Option[]
  readonly operands: readonly string[]
  readonly values: ReadonlyMap<string, readonly string[]>
  /** The option whose value the cursor is at. */
  readonly pending: Option | undefined
  readonly afterDashes: boolean
}

async function read(words: readonly string[]): Promise<Line> {
  const values = new Map<string, readonly string[]>()
  const operands: string[] = []
  let verb: string | undefined
  let command: Command | undefined
  let family: Family | undefined
  let options = GLOBAL_OPTIONS
  let pending: Option | undefined
  let afterDashes = false
  for (const word of words) {
    if (pending) {
      values.set(pending.name, [word])
      pending = undefined
    } else if (word === '--' && !afterDashes) {
      afterDashes = true
    } else if (word.startsWith('--') && !afterDashes) {
      const [name = '', ...rest] = word.slice(2).split('=')
      const option = options.find((known) => known.name === name)
      if (option?.value !== undefined && rest.length === 0) pending = option
      else values.set(name, [rest.join('=')])
    } else if (verb === undefined) {
      verb = word
      const called = await VERBS.get(word)?.load()
      if (called && 'commands' in called) family = called
      else command = called
      options = [...(command?.options ?? []), ...GLOBAL_OPTIONS]
    } else if (family) {
      command = await family.commands.get(word)?.load()
      family = undefined
      options = [...(command?.options ?? []), ...GLOBAL_OPTIONS]
    } else {
      operands.push(word)
    }
  }
  return { command, family, verb, options, operands, values, pending, afterDashes }
}

function optionCandidates({ options, values }: Line): readonly Candidate[] {
  return options
    .filter(({ name, many }) => many || !values.has(name))
    .map(({ name, about }) => ({ value: `--${name}`, about }))
}

async function operandCandidates(line: Line, current: string): Promise<readonly Candidate[]> {
  if (line.verb === undefined) return starting(current, verbCandidates())
  if (line.verb === 'help') return starting(current, await helpCandidates(line.operands))
  if (line.family) return starting(current, memberCandidates(line.family))
  const operand = operandAt(line.command?.operands ?? [], line.operands.length)
  return operand ? starting(current, await valuesFor(operand.name, line)) : []
}

function operandAt(operands: readonly Operand[], index: number): Operand | undefined {
  const last = operands.at(-1)
  return operands[index] ?? (last?.many ? last : undefined)
}

function verbCandidates(): readonly Candidate[] {
  return [
    ...[...VERBS].map(([value, { summary }]) => ({ value, about: summary })),
    { value: 'help', about: 'more about a command' },
  ]
}

function memberCandidates({ commands }: Family): readonly Candidate[] {
  return [...commands].map(([value, { summary }]) => ({ value, about: summary }))
}

async function helpCandidates([verb, ...others]: readonly string[]): Promise<readonly Candidate[]> {
  if (verb !== undefined) {
    const called = await VERBS.get(verb)?.load()
    return called && 'commands' in called && others.length === 0 ? memberCandidates(called) : []
  }
  const { HELP_TOPICS } = await import('./help.ts')
  return [...verbCandidates(), ...named([...HELP_TOPICS.keys()])]
}

/** What a placeholder of the help stands for. */
async function valuesFor(placeholder: string, line: Line): Promise<readonly Candidate[]> {
  if (placeholder.includes('|')) return placeholder.split('|').map((value) => ({ value }))
  if (placeholder === 'KIND') return named((await import('../model/kinds.ts')).KIND_NAMES)
  if (placeholder === 'ORIGIN') return named((await import('../model/entry.ts')).ORIGINS)
  if (placeholder === 'CLIENT') return named((await import('./install/clients.ts')).CLIENT_NAMES)
  if (placeholder === 'WHAT') return named(['embeddings'])
  if (placeholder === 'FORMAT') return named([...(await import('../import/formats.ts')).IMPORT_FORMATS, 'folder'])
  if (placeholder === 'DATE') return named(['today', 'yesterday', 'now'])
  if (placeholder === 'REF') return (await import('./complete-names.ts')).entryNames(line.values)
  if (placeholder === 'TOPIC') return (await import('./complete-names.ts')).topicNames(line.values)
  if (placeholder === 'ARCHIVE') return (await import('./complete-names.ts')).reviewNames(line.values)
  return placeholder === 'SESSION' ? (await import('./complete-names.ts')).sessionKeys(line.values) : []
}

function named(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value }))
}

/** Another case will do, as it does for the commands. */
function starting(current: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const wanted = current.toLowerCase()
  return candidates.filter(({ value }) => value.toLowerCase().startsWith(wanted)).slice(0, MOST_NAMES)
}
