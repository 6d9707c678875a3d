/** Entries: the list, one of them, and writing. A person writes on the page, so the origin of these writes is `user`. */

import { ConflictError, InvalidError, NotFoundError } from '../../errors.ts'
import type { Memory } from '../../memory.ts'
import { type Entry, type EntryHead, WORLD } from '../../model/entry.ts'
import { parseTtl } from '../../model/expiry.ts'
import { KIND_NAMES } from '../../model/kinds.ts'
import { isLogged } from '../../model/operation.ts'
import { instant, parseInstant } from '../../model/time.ts'
import { choice, json, list, mayBeBlank, type Parameter, required, said, text, whole } from '../../tools/parameters.ts'
import type { EntryList, OneEntry, WrittenEntry } from '../contract.ts'
import { entryRows } from '../entry-rows.ts'
import { AGENT, AS_OF, DATES, datesOf, KINDS_ASKED, limit, memoryOf } from '../parameters.ts'
import { type Call, defineRoute, type Route } from '../route.ts'
import { warningsOf } from '../warnings.ts'

const ID = { id: required(text('Its id, name or alias.')) }
const EXPECT = { expect: text('The revision that was read: 409 where it is another one by now.') }
const SORTS = ['updated', 'created', 'name', 'expires'] as const

const listEntries: Route = defineRoute({
  method: 'GET',
  path: '/entries',
  summary: 'The entries that an agent sees, without their texts',
  query: {
    ...AGENT,
    ...AS_OF,
    ...DATES,
    scope: choice(['world', 'agent'], "Only what every agent sees, or only the agent's own."),
    kinds: KINDS_ASKED,
    sort: choice(SORTS, 'By when it was last written or made, newest first; by name; or by when it ends.', 'updated'),
    offset: whole(0, 10_000_000, 'How many to pass over.', 0),
    limit: limit(100, 200),
  },
  answer: 'EntryList',
  run: async (
    { scope, kinds, sort = 'updated', offset = 0, limit: most = 100, ...asked },
    call,
  ): Promise<EntryList> => {
    const memory = await memoryOf(asked, call)
    const scopes = scope === undefined ? [WORLD, memory.agent] : [scope === 'world' ? WORLD : memory.agent]
    const filter = { ...said({ kinds }), scopes, ...(await datesOf(asked, memory)) }
    const heads = [...(await memory.heads(filter, { signal: call.signal }))].sort(ORDERS[sort])
    const problems = await memory.store.problems({ scopes, ...said({ kinds }) })
    return {
      entries: await entryRows(memory, heads.slice(offset, offset + most), call.signal),
      total: heads.length,
      warnings: warningsOf(problems),
    }
  },
})

type Order = (a: EntryHead, b: EntryHead) => number

const newest = (a: string, b: string): number => (a === b ? 0 : a < b ? 1 : -1)
const bySeq: Order = (a, b) => b.seq - a.seq
const ORDERS: Readonly<Record<(typeof SORTS)[number], Order>> = {
  updated: (a, b) => newest(a.updatedAt, b.updatedAt) || bySeq(a, b),
  created: (a, b) => newest(a.createdAt, b.createdAt) || bySeq(a, b),
  name: (a, b) => COLLATOR.compare(nameOf(a), nameOf(b)) || bySeq(a, b),
  expires: (a, b) => newest(endOf(b), endOf(a)) || bySeq(a, b),
}
const COLLATOR = new Intl.Collator('en', { numeric: true })

/** What has no name comes last. */
function nameOf({ name, key }: EntryHead): string {
  return name ?? key ?? '\u{10ffff}'
}

function endOf({ expiresAt }: EntryHead): string {
  return expiresAt ?? '9999'
}

const oneEntry: Route = defineRoute({
  method: 'GET',
  path: '/entries/{id}',
  summary: 'One entry, whole',
  inPath: ID,
  query: { ...AGENT, ...AS_OF },
  answer: 'OneEntry',
  run: async ({ id, ...asked }, call): Promise<OneEntry> => ({
    entry: await theOne(await memoryOf(asked, call), id, call),
  }),
})

const addEntry: Route = defineRoute({
  method: 'POST',
  path: '/entries',
  summary: 'A new entry',
  query: AGENT,
  body: {
    kind: required(choice(KIND_NAMES)),
    content: required(text('Its text, in Markdown.')),
    name: text('Left out, kinds that have names get one from the first words.'),
    key: text('Of a context.'),
    description: text(),
    aliases: list(text()),
    metadata: json('Any JSON object.'),
    ttl: text('How long it lives: 30d, 12h, 90m, 45s.'),
  },
  answer: 'WrittenEntry',
  run: async ({ agent, ttl, kind, content, ...rest }, call) => {
    const memory = await memoryOf({ agent }, call)
    const end = ttl === undefined ? {} : { expiresAt: instant(memory.clock() + parseTtl(ttl)) }
    return written(memory, [{ op: 'add', kind, content, ...said(rest), ...end }], {}, call)
  },
})

const patchEntry: Route = defineRoute({
  method: 'PATCH',
  path: '/entries/{id}',
  summary: 'Rewrites or renames an entry; 409 with the current entry if "expect" is no longer its revision',
  inPath: ID,
  query: AGENT,
  body: {
    ...EXPECT,
    content: mayBeBlank('Its text, in Markdown.'),
    description: mayBeBlank('What it is about, in a line.'),
    metadata: json('Any JSON object, in place of the one it has.'),
    expiresAt: end(),
    name: text('Another one renames it; the old one stays an alias.'),
  },
  answer: 'WrittenEntry',
  run: async ({ agent, id: ref, name, expect, ...fields }, call) => {
    const memory = await memoryOf({ agent }, call)
    const entry = await theOne(memory, ref, call)
    const { id } = entry
    if (expect !== undefined && expect !== entry.revision) throw new ConflictError(id, expect, entry.revision)
    const write = changedOf(said(fields), entry)
    const operations = [
      ...(Object.keys(write).length === 0 ? [] : [{ op: 'write', id, ...write } as const]),
      ...(name === undefined || name === entry.name ? [] : [{ op: 'rename', id, name } as const]),
    ]
    if (operations.length === 0) return { entry, warnings: [] }
    return written(memory, operations, expected(id, expect), call)
  },
})

/** What is so already is no change. */
function changedOf<Fields extends Partial<Entry>>(fields: Fields, entry: Entry): Partial<Fields> {
  const pairs = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(entry[name as keyof Entry]), // its own fields, by their names
  )
  return Object.fromEntries(pairs) as Partial<Fields> // the same keys, fewer
}

/** `null` is "never", and not the same as nothing. */
function end(): Parameter<string | null, false> {
  return {
    ...text(),
    schema: { type: ['string', 'null'], description: 'When it ends, an instant; null is never.' },
    takesNull: true,
    check: (value, field) => {
      if (value === null) return null
      const at = parseInstant(value)
      if (at === undefined) throw new InvalidError(field, 'is no instant', '2026-11-17T09:30:00Z, or null')
      return at
    },
  }
}

const removeEntry: Route = defineRoute({
  method: 'DELETE',
  path: '/entries/{id}',
  summary: 'Forgets an entry; an undo brings it back',
  inPath: ID,
  query: { ...AGENT, ...EXPECT },
  answer: 'WrittenEntry',
  run: async ({ agent, id: ref, expect }, call) => {
    const memory = await memoryOf({ agent }, call)
    const { id } = await theOne(memory, ref, call)
    return written(memory, [{ op: 'remove', id }], expected(id, expect), call)
  },
})

const aliasEntry: Route = defineRoute({
  method: 'POST',
  path: '/entries/{id}/aliases',
  summary: 'One more name for an entry; "take" moves it over from another, "drop" gives it up',
  inPath: ID,
  query: AGENT,
  body: { alias: required(text()), mode: choice(['bind', 'take', 'drop'], undefined, 'bind') },
  answer: 'WrittenEntry',
  run: async ({ agent, id: ref, alias, mode = 'bind' }, call) => {
    const memory = await memoryOf({ agent }, call)
    const { id } = await theOne(memory, ref, call)
    return written(memory, [{ op: 'alias', id, alias, mode }], {}, call)
  },
})

async function theOne(memory: Memory, ref: string, { signal }: Call): Promise<OneEntry['entry']> {
  const entry = await memory.get(ref, { signal })
  if (!entry) throw new NotFoundError(ref)
  return entry
}

function expected(id: string, revision: string | undefined): Readonly<Record<string, string>> {
  return revision === undefined ? {} : { [id]: revision }
}

async function written(
  memory: Memory,
  operations: Parameters<Memory['apply']>[0],
  expect: Readonly<Record<string, string>>,
  { served, signal }: Call,
): Promise<WrittenEntry> {
  const applied = await memory.apply(operations, { expect, origin: { by: 'user' }, signal })
  served.wrote(memory)
  const [first] = operations
  const meant = applied.entries.find(({ id }) => id === (first && 'id' in first ? first.id : undefined))
  const entry = meant ?? applied.entries.at(-1)
  if (!entry) throw new Error('unreachable: a batch that was applied touched an entry')
  return {
    entry,
    ...(isLogged(applied.change) ? { change: applied.change.number } : {}),
    warnings: applied.warnings,
  }
}

export const ENTRIES: readonly Route[] = [listEntries, oneEntry, addEntry, patchEntry, removeEntry, aliasEntry]
