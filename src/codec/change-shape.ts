/**
 * What a change in a log must look like where one is read, wherever its texts stand: in it, or behind it with their measures in it.
 * Whoever decodes a log asks here first, for it may come from anybody.
 */
import type { Operation } from '../model/operation.ts'
import type { ChangeRecord } from './change-record.ts'
import { isCount, isHead, isListOf, isMapping, isOrigin, isPartOfHead, isText, isTime } from './head-shape.ts'

type IsContent = (content: unknown) => boolean

const OPERATIONS: readonly unknown[] = ['add', 'write', 'rename', 'alias', 'remove']

/** `isContent`: what stands for a text. */
export function isChangeWith(value: unknown, isContent: IsContent): boolean {
  if (!isMapping(value)) return false
  const { number, at, origin, operations, set, reverts, supersedes, purged } = value as Partial<ChangeRecord>
  return (
    isCount(number) &&
    isTime(at) &&
    isOrigin(origin) &&
    isListOf<Operation>(operations, (operation) => isOperation(operation, isContent)) &&
    isListOf<object>(set, isPartOfHead) &&
    set.length === operations.length &&
    (reverts === undefined || isListOf(reverts, isCount)) &&
    (supersedes === undefined || isCount(supersedes)) &&
    (purged === undefined || isListOf(purged, isText)) &&
    addWholeHeads(operations, set)
  )
}

function isOperation(value: unknown, isContent: IsContent): boolean {
  if (!isMapping(value) || !OPERATIONS.includes(value['op']) || !isText(value['id'])) return false
  const { op, content } = value
  if (op === 'rename' && !isText(value['name'])) return false
  if (content === undefined ? op === 'add' : !isContent(content)) return false
  return isPartOfHead(value)
}

/** An entry may be added, written and renamed in one change: what is left of it in the end must be whole. */
function addWholeHeads(operations: readonly Operation[], set: readonly object[]): boolean {
  const added = new Map<string, object>()
  for (const [index, operation] of operations.entries()) {
    const { op, id = '' } = operation
    if (op === 'remove') added.delete(id)
    else if (op === 'add' || added.has(id)) added.set(id, { ...added.get(id), ...operation, ...set[index] })
  }
  return [...added.values()].every(isHead)
}
