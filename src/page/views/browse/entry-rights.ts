/** What may be done to an entry by hand: the columns of the table of kinds, and what the workspace allows. */
import { KINDS, type Kind } from '../../../model/kinds.ts'

export interface EntryRights {
  readonly canEdit: boolean
  readonly canEditText: boolean
  readonly canExpire: boolean
  readonly hasAttributes: boolean
  readonly canRename: boolean
  readonly canForget: boolean
}

export function entryRights(kind: Kind, soulEditable: boolean): EntryRights {
  const { rewritten, ttl, attributes, naming } = KINDS[kind]
  const isOpen = rewritten !== 'gated' || soulEditable
  const canEditText = isOpen && rewritten !== 'no'
  return {
    canEdit: isOpen && (canEditText || attributes || ttl),
    canEditText,
    canExpire: isOpen && ttl,
    hasAttributes: attributes,
    canRename: isOpen && naming === 'given',
    canForget: isOpen,
  }
}
