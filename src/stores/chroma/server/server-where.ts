/** Labels to find records by, in the words of the server: one condition stands alone, a list means any of it. Types and one function. */
import type { Where as ServerWhere } from 'chromadb'
import type { VectorWhere } from './vector-shelf.ts'

/** `undefined`: no condition at all. */
export function serverWhere(where: VectorWhere): ServerWhere | undefined {
  const conditions = Object.entries(where).map(([key, value]): ServerWhere => {
    return typeof value === 'object' ? { [key]: { $in: [...value] } } : { [key]: value }
  })
  const [first] = conditions
  return conditions.length > 1 ? { $and: conditions } : first
}
