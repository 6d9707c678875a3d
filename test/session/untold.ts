/** A store whose transcripts can't be told of markers: what a crash leaves between an archive, or its undo, and the record of that. */
import { KeepsakeError } from '../../src/errors.ts'
import type { Sessions, Store } from '../../src/ports/store.ts'

export function untold(store: Store): Store {
  const { sessions } = store
  const append: Sessions['append'] = async (scope, key, records, options) => {
    if (records.some(({ type }) => type === 'marker' || type === 'unmark')) throw new KeepsakeError('IO', 'crashed')
    return sessions.append(scope, key, records, options)
  }
  const others: Omit<Sessions, 'append'> = {
    read: (...args) => sessions.read(...args),
    readBefore: (...args) => sessions.readBefore(...args),
    list: (...args) => sessions.list(...args),
  }
  return { ...store, sessions: { append, ...others } }
}
