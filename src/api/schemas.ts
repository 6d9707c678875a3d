/** What the answers look like, for docs/openapi.json; contract.ts says the same to the compiler, and a test holds real answers against these. */
import { ORIGINS } from '../model/entry.ts'
import { KIND_NAMES } from '../model/kinds.ts'

export type Schema = Readonly<Record<string, unknown>>

const string: Schema = { type: 'string' }
const boolean: Schema = { type: 'boolean' }
const integer: Schema = { type: 'integer' }
const number: Schema = { type: 'number' }
const time: Schema = { type: 'string', format: 'date-time' }
const strings: Schema = listOf(string)
const kind: Schema = { type: 'string', enum: KIND_NAMES }
const anything: Schema = {}

function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

function one(...values: readonly string[]): Schema {
  return { type: 'string', enum: values }
}

function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** Names that end with "?" may be missing; no other names may be there. */
function object(properties: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(properties)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), properties[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  }
}

const head = {
  id: string,
  seq: integer,
  revision: string,
  scope: string,
  kind,
  name: orNull(string),
  'key?': string,
  aliases: strings,
  description: string,
  metadata: { type: 'object' },
  createdAt: time,
  updatedAt: time,
  expiresAt: orNull(time),
  origin: ref('Origin'),
  'path?': string,
}

const counts: Schema = { type: 'object', propertyNames: kind, additionalProperties: integer }
const when = { at: time, day: string, time: string }
const condition = object({ key: string, op: string, value: anything })

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Failure: object({
    error: object({
      code: string,
      message: string,
      'hint?': string,
      'current?': ref('Entry'),
      'later?': listOf(integer),
    }),
  }),
  Done: object({ done: boolean }),
  Origin: object({ by: one(...ORIGINS), 'agent?': string, 'session?': string }),
  Entry: object({ ...head, content: string }),
  EntryRow: object({ ...head, excerpt: string }),
  Workspace: object({
    version: string,
    id: string,
    root: string,
    store: one('filesystem', 'file', 'postgres', 'chroma', 'memory'),
    zone: string,
    revision: string,
    agent: string,
    world: counts,
    agents: listOf(object({ agent: string, kinds: counts })),
    'mcpUrl?': string,
    needsToken: boolean,
    isSample: boolean,
    soulEditable: boolean,
  }),
  EntryList: object({ entries: listOf(ref('EntryRow')), total: integer, warnings: strings }),
  OneEntry: object({ entry: ref('Entry') }),
  WrittenEntry: object({ entry: ref('Entry'), 'change?': integer, warnings: strings }),
  Why: object({
    'exact?': one('name', 'alias'),
    words: listOf(
      object({
        text: string,
        term: string,
        counts: { type: 'object', additionalProperties: integer },
        documents: integer,
        score: number,
      }),
    ),
    supports: listOf(object({ by: one('neighbour', 'session', 'nearness'), score: number })),
    boosts: listOf(object({ by: one('length', 'recency', 'kind'), factor: number })),
    best: number,
    'byWords?': number,
    'meaning?': object({ 'cosine?': number, score: number }),
    score: number,
  }),
  Found: object({
    hits: listOf(
      object({
        entry: ref('Entry'),
        score: number,
        highlights: listOf({ type: 'array', items: integer, minItems: 2, maxItems: 2 }),
        alike: strings,
        'why?': ref('Why'),
      }),
    ),
    searched: object({
      mode: one('lexical', 'semantic', 'hybrid'),
      'vectors?': object({ model: string, pending: integer, 'refused?': integer, 'searchedBy?': string }),
      'wordsOnly?': string,
      query: string,
      understood: object({
        words: strings,
        phrases: strings,
        prefixes: strings,
        not: strings,
        ignored: strings,
        'cut?': integer,
      }),
      scopes: strings,
      kinds: listOf(kind),
      'since?': time,
      'until?': time,
      'where?': listOf(condition),
      entries: integer,
      'eligible?': integer,
      matched: integer,
      omitted: integer,
      nearest: listOf(object({ text: string, nearest: strings })),
    }),
    warnings: strings,
  }),
  WhyNot: object({
    'entry?': ref('Entry'),
    reason: string,
    sentence: string,
    'rank?': integer,
    'score?': number,
    'why?': ref('Why'),
    'instead?': string,
    warnings: strings,
  }),
  SessionRow: object({
    key: string,
    createdAt: orNull(time),
    lastAt: orNull(time),
    turns: integer,
    'problem?': string,
  }),
  Timeline: object({
    items: listOf({
      oneOf: [
        object({ type: one('entry'), ...when, entry: ref('EntryRow') }),
        object({ type: one('session'), ...when, session: ref('SessionRow') }),
      ],
    }),
    'next?': string,
    days: listOf(object({ day: string, entries: integer, sessions: integer })),
  }),
  SessionList: object({ sessions: listOf(ref('SessionRow')) }),
  OneSession: object({
    key: string,
    createdAt: orNull(time),
    turns: listOf(
      object({
        id: string,
        role: one('user', 'assistant', 'tool', 'system'),
        content: string,
        at: time,
        tools: strings,
        inWindow: boolean,
      }),
    ),
    earlier: integer,
    markers: listOf(
      object({
        id: string,
        at: time,
        reason: one('compact', 'trim', 'new'),
        through: string,
        turns: integer,
        'archiveId?': string,
        'archiveName?': string,
        unmarked: boolean,
      }),
    ),
    'archive?': object({ id: string, name: string, content: string }),
    broken: integer,
  }),
  Hunk: object({
    before: integer,
    after: integer,
    lines: listOf(object({ kind: one('same', 'removed', 'added'), text: string })),
  }),
  ChangeList: object({
    changes: listOf(
      object({
        number: integer,
        ...when,
        origin: ref('Origin'),
        touched: listOf(
          object({
            id: string,
            what: one('added', 'removed', 'changed'),
            kind,
            scope: string,
            label: string,
            hunks: listOf(ref('Hunk')),
            isCut: boolean,
            fields: listOf(object({ field: string, before: string, after: string })),
          }),
        ),
        omitted: integer,
        'undoneBy?': integer,
        'reverts?': listOf(integer),
        found: boolean,
        isPurge: boolean,
        isPartial: boolean,
      }),
    ),
    'next?': integer,
    warnings: strings,
  }),
  Undone: object({ 'change?': integer, undone: listOf(integer), entries: strings, warnings: strings }),
  Context: object({
    parts: listOf(
      object({
        part: one('identity', 'directive', 'memory', 'recap', 'recall'),
        text: string,
        tokens: integer,
        cut: boolean,
      }),
    ),
    tokens: integer,
    warnings: strings,
  }),
  GrowthSeries: object({ label: string, totals: listOf(integer) }),
  Overview: object({
    entries: integer,
    sessions: integer,
    growth: object({ days: strings, byKind: listOf(ref('GrowthSeries')), byAgent: listOf(ref('GrowthSeries')) }),
    memory: object({ bytes: integer, limit: integer, tokens: integer }),
    expiring: listOf(ref('EntryRow')),
    unrecalled: object({ 'since?': time, total: integer, entries: listOf(ref('EntryRow')) }),
    embeddings: object({
      'model?': string,
      loaded: boolean,
      entries: integer,
      pending: integer,
      refused: integer,
      'problem?': string,
    }),
    warnings: strings,
  }),
  Doctor: object({
    findings: listOf(
      object({
        code: string,
        severity: one('damage', 'warning', 'note'),
        message: string,
        hint: string,
        'path?': string,
      }),
    ),
    checked: integer,
    'unsupported?': string,
  }),
  Map: object({
    points: listOf(object({ id: string, x: number, y: number, kind, scope: string, label: string })),
    missing: integer,
    'unsupported?': string,
  }),
  Opened: object({ key: string }),
}
