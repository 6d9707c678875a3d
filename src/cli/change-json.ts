/** Changes as JSON: the same keys in the same order from every command. */
import type { VisibleChange } from '../history/log.ts'
import type { Change } from '../model/operation.ts'
import type { Touched } from '../ports/store.ts'
import { entryJson } from './entry-json.ts'

export function changeJson(change: Change): object {
  const { number, at, origin, operations, reverts, found, supersedes, purged } = change
  return {
    number,
    at,
    origin,
    operations,
    ...(reverts === undefined ? {} : { reverts }),
    ...(found === undefined ? {} : { found }),
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(purged === undefined ? {} : { purged }),
  }
}

/** With `touched`, each entry as it was before and is after. */
export function loggedJson({ change, undoneBy, touched }: VisibleChange, withTouched: boolean): object {
  return {
    ...changeJson(change),
    ...(undoneBy === undefined ? {} : { undoneBy }),
    ...(withTouched ? { touched: touched.map(touchedJson) } : {}),
  }
}

function touchedJson({ id, before, after }: Touched): object {
  return {
    id,
    ...(before === undefined ? {} : { before: entryJson(before) }),
    ...(after === undefined ? {} : { after: entryJson(after) }),
  }
}
