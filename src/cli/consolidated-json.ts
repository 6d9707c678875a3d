/** What condensing did, and what it kept for review, as JSON: the library's own shapes, entries and changes as every command prints them. */
import type { Consolidated } from '../consolidate/consolidated.ts'
import type { Review } from '../consolidate/reviews.ts'
import type { KeepsakeError } from '../errors.ts'
import { changeJson } from './change-json.ts'
import { entryJson, warningsJson } from './entry-json.ts'

export function consolidatedJson(done: Consolidated): object {
  const { session, outcome, why, failure, memory, review, history, archives, marker, changes, warnings } = done
  return {
    session,
    outcome,
    ...(why === undefined ? {} : { why }),
    ...(failure === undefined ? {} : { failure: failureJson(failure) }),
    memory,
    ...(review === undefined ? {} : { review: reviewJson(review) }),
    history: history.map(entryJson),
    archives: archives.map(entryJson),
    ...(marker === undefined ? {} : { marker }),
    changes: changes.map(changeJson),
    ...warningsJson(warnings),
  }
}

export function reviewJson({ id, name, session, at, reason, detail, proposed, seen }: Review): object {
  return { id, name, session, at, reason, detail, proposed, seen }
}

/** As the `error` of a command that fails. */
export function failureJson({ code, message, hint = '' }: KeepsakeError): object {
  return { code, message, hint }
}
