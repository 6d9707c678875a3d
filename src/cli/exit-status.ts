/** One table from the code of an error to the status the process ends with. Two codes are the command line's own. */
import type { ErrorCode } from '../errors.ts'

export type FailureCode = ErrorCode | 'INTERNAL' | 'INTERRUPTED'

export const EXIT_STATUS: Readonly<Record<FailureCode, number>> = {
  INVALID: 2,
  NOT_FOUND: 3,
  NAME_TAKEN: 4,
  CONFLICT: 4,
  LOCKED: 4,
  READ_ONLY: 1,
  IO: 1,
  DAMAGED: 1,
  FOREIGN: 1,
  NEWER: 1,
  UNSUPPORTED: 1,
  CLOSED: 1,
  NO_MODEL: 2,
  NO_EMBEDDINGS: 2,
  MODEL: 1,
  TIMEOUT: 1,
  INTERNAL: 1,
  INTERRUPTED: 130,
}
