/**
 * A store as it would be with another MEMORY.md, to be searched: the rewrite is told as an edit that no change tells of yet, as one by
 * hand would be. It can only be read, so that trying a rewrite leaves nothing behind.
 */
import { KeepsakeError } from '../errors.ts'
import type { Entry, EntryHead } from '../model/entry.ts'
import { matchesHead } from '../model/filter.ts'
import { revisionOf } from '../model/revision.ts'
import type { Store } from '../ports/store.ts'

export function rewrittenStore(store: Store, entry: Entry, content: string): Store {
  const rewritten: Entry = { ...entry, content, revision: revisionOf({ ...entry, content }) }
  const { content: _, ...head } = rewritten
  const { id, scope, name } = rewritten
  return {
    capabilities: store.capabilities,
    settings: () => store.settings(),
    get: async (asked, options) => (asked === id ? rewritten : store.get(asked, options)),
    resolve: async (where, called, options) =>
      where === scope && called === name ? rewritten : store.resolve(where, called, options),
    resolveKey: (...asked) => store.resolveKey(...asked),
    async *scan(filter = {}, options) {
      for await (const one of store.scan(filter, options)) if (one.id !== id) yield one
      if (matchesHead(head, filter)) yield rewritten
    },
    async heads(filter = {}, options): Promise<readonly EntryHead[]> {
      const others = (await store.heads(filter, options)).filter((one) => one.id !== id)
      return matchesHead(head, filter) ? [...others, head] : others
    },
    async feed(since, options) {
      const feed = await store.feed(since, options)
      const { edits = [] } = options ?? {}
      if (edits !== 'all' && !edits.includes(scope)) return feed
      return { ...feed, edits: [...feed.edits.filter((edit) => edit.id !== id), { id, after: rewritten }] }
    },
    problems: (...asked) => store.problems(...asked),
    changes: (...asked) => store.changes(...asked),
    stateAt: (...asked) => store.stateAt(...asked),
    versions: (...asked) => store.versions(...asked),
    gone: (...asked) => store.gone(...asked),
    document: (...asked) => store.document(...asked),
    derived: { read: (key) => store.derived.read(key), write: async () => false },
    sessions: {
      append: refuse,
      read: (...asked) => store.sessions.read(...asked),
      readBefore: (...asked) => store.sessions.readBefore(...asked),
      list: (...asked) => store.sessions.list(...asked),
    },
    absorb: async () => ({ changes: [], heldBack: [], warnings: [] }),
    apply: refuse,
    purge: refuse,
    watch: refuse,
    lease: refuse,
    close: async () => undefined,
  }
}

async function refuse(): Promise<never> {
  throw new KeepsakeError('READ_ONLY', 'a rewrite that is only tried can be read, not changed', {
    hint: 'Write to the memory itself.',
  })
}
