/**
 * The command line as options and operands. Own code, not node:util's parseArgs: texts are Markdown and often begin with a
 * dash ("- buy milk"), which that takes for a group of short options. Here an option has no blank before its `=`; after
 * `--` nothing is one. Nothing is guessed: unknown, doubled, missing or superfluous is an error that says so.
 */
import { InvalidError, KeepsakeError } from '../errors.ts'
import { nearest } from '../model/nearest.ts'
import type { Command, Option } from './command.ts'

export class Arguments {
  readonly operands: readonly string[]
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(operands: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.operands = operands
    this.#values = values
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  one(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }

  /** A whole number; what range is allowed is for the one who uses it to say. */
  number(name: string): number | undefined {
    const value = this.one(name)
    if (value === undefined) return undefined
    if (!/^[+-]?\d{1,15}$/.test(value))
      throw new InvalidError(name, `"${value}" is not a whole number`, 'a number such as 3')
    return Number(value)
  }

  /** An operand that the command's table says is always there. */
  operand(index: number): string {
    const value = this.operands[index]
    if (value === undefined) throw new Error(`unreachable: operand ${index} was checked`)
    return value
  }

  /** These, and where they are silent those. */
  over(others: Arguments): Arguments {
    return new Arguments(this.operands, new Map([...others.#values, ...this.#values]))
  }
}

/** Options up to the first operand; `rest` begins with that operand. */
export function parseLeading(
  args: readonly string[],
  options: readonly Option[],
): { readonly given: Arguments; readonly rest: readonly string[] } {
  const values = new Map<string, readonly string[]>()
  let index = 0
  while (index < args.length) {
    const arg = args[index] ?? ''
    if (arg === '--') return { given: new Arguments([], values), rest: args.slice(index + 1) }
    if (!isOption(arg)) break
    index += takeOption(args, index, options, values)
  }
  return { given: new Arguments([], values), rest: args.slice(index) }
}

/** Options and operands in any order. */
export function parseArguments(args: readonly string[], options: readonly Option[]): Arguments {
  const values = new Map<string, readonly string[]>()
  const operands: string[] = []
  let index = 0
  while (index < args.length) {
    const arg = args[index] ?? ''
    if (arg === '--') {
      operands.push(...args.slice(index + 1))
      break
    }
    if (isOption(arg)) {
      index += takeOption(args, index, options, values)
    } else {
      operands.push(arg)
      index += 1
    }
  }
  return new Arguments(operands, values)
}

export function checkOperands({ operands: given }: Arguments, { verb, operands }: Command): void {
  const missing = operands.find((operand, index) => !operand.optional && given[index] === undefined)
  if (missing) throw usageError(`${verb} needs ${missing.name}`, helpHint(verb))
  if (given.length <= operands.length || operands.at(-1)?.many) return
  const superfluous = given[operands.length] ?? ''
  const isText = operands.at(-1)?.name === 'TEXT'
  const before = operands.slice(0, -1).map(({ name }) => name)
  throw usageError(
    operands.length === 0
      ? `${verb} takes no argument, but was given "${superfluous}"`
      : `"${superfluous}" is one argument too many for ${verb}`,
    isText ? `Put the text in quotes: keepsake ${[verb, ...before].join(' ')} "two words"` : helpHint(verb),
  )
}

export function usageError(message: string, hint: string): KeepsakeError {
  return new KeepsakeError('INVALID', message, { hint })
}

function helpHint(verb: string): string {
  return `See: keepsake ${verb} --help`
}

/** A dash alone is standard input; a dash with blanks behind it is text. */
function isOption(arg: string): boolean {
  return arg !== '-' && /^-[^\s=]*(=|$)/.test(arg)
}

/** Puts the option at `index` into `values`; tells how many arguments it took. */
function takeOption(
  args: readonly string[],
  index: number,
  options: readonly Option[],
  values: Map<string, readonly string[]>,
): number {
  const arg = args[index] ?? ''
  const equals = arg.indexOf('=')
  const flag = equals === -1 ? arg : arg.slice(0, equals)
  const inline = equals === -1 ? undefined : arg.slice(equals + 1)
  const name = flag === '-h' ? 'help' : flag.slice(2)
  const option = flag === '-h' || flag.startsWith('--') ? options.find((known) => known.name === name) : undefined
  if (!option) throw unknownOption(flag, options)
  const before = values.get(option.name) ?? []
  if (before.length > 0 && !option.many) throw usageError(`${flag} was given twice`, 'Give it once.')
  if (option.value === undefined) {
    if (inline !== undefined) throw usageError(`${flag} takes no value`, `Give it as: ${flag}`)
    values.set(option.name, [''])
    return 1
  }
  const value = inline ?? valueAfter(args, index, flag, option.value)
  if (value === '' && !option.mayBeEmpty) throw usageError(`${flag} is empty`, `Give it as: ${flag} ${option.value}`)
  values.set(option.name, [...before, value])
  return inline === undefined ? 2 : 1
}

function valueAfter(args: readonly string[], index: number, flag: string, called: string): string {
  const value = args[index + 1]
  if (value !== undefined && !isOption(value)) return value
  throw usageError(
    `${flag} needs a value`,
    value === undefined || value === '--'
      ? `Give it as: ${flag} ${called}`
      : `If "${value}" is that value, write ${flag}=${value}`,
  )
}

function unknownOption(flag: string, options: readonly Option[]): KeepsakeError {
  const near = nearest(
    flag,
    options.map((option) => `--${option.name}`),
  )
  return usageError(
    `there is no option "${flag}" here`,
    near === undefined
      ? 'Options of a command stand after its name; a text that begins with a dash stands after "--".'
      : `Did you mean ${near}? A text that begins with a dash stands after "--".`,
  )
}
