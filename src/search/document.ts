/**
 * What the engine indexes: an id, texts by field, an opaque group with a position in it, numbers for filters, and a
 * text that is given back as it is. It knows no entry. What can't come back equal from a snapshot is refused here.
 */
import { InvalidError } from '../errors.ts'

export interface Schema {
  readonly fields: readonly string[]
  readonly columns: readonly string[]
}

export interface Document {
  readonly id: string
  /** One per field of the schema, in its order; '' for none. */
  readonly texts: readonly string[]
  /** Opaque; '' or missing: none. */
  readonly group?: string
  /** Its order within the group; default 0. */
  readonly position?: number
  /** One per column of the schema. */
  readonly columns: readonly number[]
  /** Given back as it is. */
  readonly stored: string
}

/**
 * Ids and stored texts are kept as UTF-8, which has no place for a lone surrogate: it would come back as another
 * character, so it is refused. Texts and groups may hold anything: they are only ever compared.
 */
export function requireDocument(document: Document, schema: Schema): void {
  requireWellFormed('id', document.id)
  requireWellFormed('stored', document.stored)
  if (document.texts.length !== schema.fields.length) {
    throw new InvalidError('texts', `${document.texts.length} given`, `one for each of ${schema.fields.join(', ')}`)
  }
  if (document.columns.length !== schema.columns.length) {
    const allowed = `one for each of ${schema.columns.join(', ')}`
    throw new InvalidError('columns', `${document.columns.length} given`, allowed)
  }
  if (Number.isNaN(document.position)) throw new InvalidError('position', 'it is not a number', 'any number')
}

function requireWellFormed(field: string, text: string): void {
  if (!text.isWellFormed())
    throw new InvalidError(field, 'it holds half a character (a lone surrogate)', 'whole characters')
}

export function sameSchema(a: Schema, b: Schema): boolean {
  return sameNames(a.fields, b.fields) && sameNames(a.columns, b.columns)
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}
