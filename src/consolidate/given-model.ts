/** A model as a caller has it: with a name, or a bare function, such as a prompt function that knows no more than its message. */
import { InvalidError } from '../errors.ts'
import type { Complete, Model } from '../ports/complete.ts'

export type GivenModel = Model | Complete

export function modelOf(given: GivenModel, name = ''): Model {
  if (typeof given === 'function') return { name, complete: given }
  if (typeof given?.complete !== 'function') {
    throw new InvalidError('model', 'is no model', 'a function from a message to { content }, or { name, complete }')
  }
  return given
}
