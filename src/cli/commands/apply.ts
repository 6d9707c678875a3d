/** `keepsake apply`: a batch of operations from a file, all or nothing. */
import { resolve } from 'node:path'
import { InvalidError } from '../../errors.ts'
import type { AppliedOperations } from '../../memory.ts'
import { type Expect, isLogged, type Operation } from '../../model/operation.ts'
import { DRY_RUN } from '../ask.ts'
import { changeJson } from '../change-json.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { counted } from '../counted.ts'
import { entryJson, warningsJson } from '../entry-json.ts'
import { labelOf } from '../entry-text.ts'
import { namedFile } from '../named-file.ts'
import { atPlace, type OperationsFile, parseOperations } from '../operations-file.ts'
import { textOperand } from '../text-operand.ts'
import { parseExpect } from '../write-options.ts'

/** More are counted, not told. */
const MOST_TOLD = 20

export const apply: Command = {
  verb: 'apply',
  operands: [{ name: 'FILE' }],
  about: [
    'Applies a batch of operations, all or nothing: add, write, rename, alias, remove. FILE has a JSON object a line, or one',
    'JSON list; "-" is standard input. Entries are named by "id", or by "ref" with a name or alias, also of an entry that the',
    'batch itself adds. It is one change: "keepsake undo" takes all of it back. See docs/operations.md.',
  ],
  options: [
    {
      name: 'expect',
      value: 'REF=REV',
      many: true,
      about: 'apply only if the entry is at this revision; "REF=new": only if there is none',
    },
    DRY_RUN,
  ],
  examples: [
    'keepsake apply ops.jsonl --dry-run',
    'keepsake apply ops.jsonl --expect deploys=3f2a90c41b7d5e68',
    `echo '{"op":"alias","ref":"deploys","alias":"releases","mode":"take"}' | keepsake apply -`,
  ],
  run,
}

async function run({ given, asked, screen, openToWrite }: Context): Promise<Outcome> {
  const called = given.operand(0)
  const expect = expectations(given.all('expect'))
  const dryRun = given.has('dry-run')
  const { memory } = await openToWrite()
  const file = parseOperations(await textOf(called, asked.cwd))
  const applied = await memory.apply(file.operations, { expect, dryRun }).catch((error: unknown) => {
    throw atPlace(error, file, called === '-' ? 'standard input' : called)
  })
  return {
    json: appliedJson(applied, dryRun),
    text: screen.plain(appliedText(applied, file, dryRun)),
    quietText: '',
    warnings: applied.warnings,
  }
}

async function textOf(called: string, cwd: string): Promise<string> {
  if (called === '-') return textOperand(called)
  const bytes = namedFile(resolve(cwd, called), called)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidError('FILE', `${called} is not UTF-8`, 'text in UTF-8')
  }
}

/** A name may hold the sign itself; a revision does not. */
function expectations(pairs: readonly string[]): Expect {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.lastIndexOf('=')
      if (equals < 1) throw new InvalidError('expect', `"${pair}" has no entry and revision`, 'REF=REV, or REF=new')
      return [pair.slice(0, equals), parseExpect(pair.slice(equals + 1))]
    }),
  )
}

function appliedJson({ change, operations, entries, warnings }: AppliedOperations, dryRun: boolean): object {
  return {
    entries: entries.map(entryJson),
    ...(change === undefined ? {} : { change: changeJson(change) }),
    ...(dryRun ? { operations, dryRun } : {}),
    ...warningsJson(warnings),
  }
}

function appliedText(applied: AppliedOperations, { operations: asked }: OperationsFile, dryRun: boolean): string {
  const { change, operations } = applied
  const all = counted(asked.length, 'operation', 'operations')
  if (operations.length === 0)
    return `Nothing to do: ${asked.length === 0 ? 'there is no operation' : 'all is so already'}`
  const told = operations.slice(0, MOST_TOLD).map((operation) => `  ${operationText(operation, applied)}`)
  const more = operations.length - told.length
  return [
    dryRun ? `Would apply ${all}` : `Applied ${all}`,
    ...told,
    ...(more > 0 ? [`  and ${more} more`] : []),
    change === undefined
      ? 'Nothing was changed.'
      : !isLogged(change)
        ? 'Done.'
        : `That is change ${change.number}. To take it back: keepsake undo ${change.number}`,
  ].join('\n')
}

function operationText(operation: Operation, { entries }: AppliedOperations): string {
  const entry = entries.find(({ id }) => id === operation.id)
  const label = entry === undefined ? (operation.id ?? '') : labelOf(entry)
  switch (operation.op) {
    case 'add':
      return `${label}: added`
    case 'write':
      return `${label}: written`
    case 'rename':
      return `${label}: renamed to "${operation.name}"`
    case 'alias':
      return `${label}: ${operation.mode === 'drop' ? 'gave up' : 'got'} the alias "${operation.alias}"`
    case 'remove':
      return `${label}: removed`
  }
}
