/**
 * Operations as they are given: JSON that may come from anywhere. Entries may be named by id or by `ref`, and an `add` may leave
 * its scope to its kind. What is not understood is refused, so that nothing is silently left out. Pure.
 */
import { InvalidError, KeepsakeError } from '../../errors.ts'
import { type Scope, WORLD } from '../../model/entry.ts'
import { KINDS, parseKind } from '../../model/kinds.ts'
import type {
  AddOperation,
  AliasOperation,
  Operation,
  RemoveOperation,
  RenameOperation,
  WriteOperation,
} from '../../model/operation.ts'

/** By its id; or by name or alias, as it is at this point of the batch, so also of an entry that the batch itself adds. */
type Target = { readonly id: string; readonly ref?: undefined } | { readonly ref: string; readonly id?: undefined }

/** `scope` left out: where this kind lives, the world or the agent's own. */
export type AddInput = Omit<AddOperation, 'scope'> & { readonly scope?: Scope }
export type TargetedInput = Target &
  (Omit<WriteOperation, 'id'> | Omit<RenameOperation, 'id'> | Omit<AliasOperation, 'id'> | Omit<RemoveOperation, 'id'>)
export type OperationInput = AddInput | TargetedInput

const FIELDS: Readonly<Record<Operation['op'], readonly string[]>> = {
  add: [
    'scope',
    'kind',
    'content',
    'name',
    'key',
    'aliases',
    'description',
    'metadata',
    'expiresAt',
    'id',
    'seq',
    'createdAt',
    'updatedAt',
    'origin',
  ],
  write: ['id', 'ref', 'content', 'description', 'metadata', 'expiresAt'],
  rename: ['id', 'ref', 'name'],
  alias: ['id', 'ref', 'alias', 'mode'],
  remove: ['id', 'ref'],
}

/** The same operation, once its shape is known to be right; its values are for the model to judge. */
export function checkedInput(input: unknown, agent: string): OperationInput {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InvalidError(
      'operation',
      `${JSON.stringify(input)} is no object`,
      'an object such as {"op":"remove","id":…}',
    )
  }
  const operation = input as OperationInput // by its fields, which are looked at here and in the model
  const { op } = operation
  if (typeof op !== 'string' || !Object.hasOwn(FIELDS, op)) {
    throw new InvalidError('op', `${JSON.stringify(op) ?? 'none'} is not an operation`, Object.keys(FIELDS).join(', '))
  }
  const unknown = Object.keys(operation).find((field) => field !== 'op' && !FIELDS[op].includes(field))
  if (unknown !== undefined) throw new InvalidError(unknown, `is no field of "${op}"`, FIELDS[op].join(', '))
  return operation.op === 'add' ? { ...operation, scope: scopeOf(operation, agent) } : withTarget(operation)
}

function scopeOf({ scope, kind }: AddInput, agent: string): Scope {
  const home = KINDS[parseKind(kind)].scope === 'world' ? WORLD : agent
  if (scope === undefined || scope === WORLD || scope === agent) return scope ?? home
  throw new KeepsakeError('NOT_FOUND', `scope: ${JSON.stringify(scope)} is not the scope of agent "${agent}"`, {
    hint: `Allowed: "${home}" for this kind. What is another agent's is written as that agent.`,
    data: { field: 'scope', scope },
  })
}

function withTarget(operation: TargetedInput): TargetedInput {
  const { id, ref } = operation
  if (id === undefined && ref === undefined)
    throw new InvalidError('id', 'is missing', 'id, or ref with a name or alias')
  if (id !== undefined && ref !== undefined) throw new InvalidError('ref', 'stands beside an id', 'one of id and ref')
  if (typeof (id ?? ref) !== 'string') throw new InvalidError(id === undefined ? 'ref' : 'id', 'is not text', 'a text')
  return operation
}
