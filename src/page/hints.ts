/** What to do about a failure, in this page's own terms: the server's hints are for its command line too. */
import type { ApiError } from './client.ts'

/** By the code of the error; in place of a hint that nobody can follow here. */
const HINTS: Readonly<Record<string, string>> = {
  OFFLINE: 'Is “keepsake serve” still running?',
  NOT_FOUND: 'It may have been removed or renamed since: Changes tells.',
  NAME_TAKEN: 'Choose another name, or take it from the other entry first.',
  CONFLICT: 'It has changed since. Changes tells what came later, and there it can be undone together.',
  READ_ONLY: 'Reading works. To write, check the owner and mode of the folder.',
}

/** A command, an option of one, or a field of a request. */
const FOREIGN = /\bkeepsake [a-z]|(?:^|\s)--[a-z]|\bnew revision\b/

export function hintOf({ failure: { code, hint } }: ApiError): string | undefined {
  const isOurs = hint !== undefined && !FOREIGN.test(hint)
  return isOurs ? hint : HINTS[code]
}
