/**
 * The memory as resources that a person picks in a client: listed by the page, read as Markdown, completed by name. A read
 * finds what `memory.get` finds and nothing else, so another agent's memory has no address here.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server'
import type { Memory } from '../memory.ts'
import { type Entry, type EntryHead, WORLD } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { instant } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'
import { forProtocol } from './protocol-failure.ts'
import { ENTRY_TEMPLATE, listedUri, MEMORY_URI, parseResourceUri, WORLD_TEMPLATE } from './resource-uri.ts'
import { visibleHeads } from './visible-heads.ts'

const MARKDOWN = 'text/markdown'
const PAGE = 200

/** As many as the protocol allows in one answer. */
const MOST_COMPLETIONS = 100

const TEMPLATES = [
  {
    uriTemplate: WORLD_TEMPLATE,
    name: 'topic',
    title: 'Topic',
    description: 'What every agent knows about a topic.',
    mimeType: MARKDOWN,
  },
  {
    uriTemplate: ENTRY_TEMPLATE,
    name: 'entry',
    title: 'Entry',
    description: 'A note, a fact or another entry, by name, alias or id.',
    mimeType: MARKDOWN,
  },
]

/** `listing` is waited for before the resources are listed. */
export function serveResources(server: Server, memory: Memory, listing: () => Promise<void>): void {
  server.setRequestHandler('resources/list', ({ params }, { mcpReq: { signal } }) =>
    forProtocol(async () => {
      await listing()
      return pageAfter(params?.cursor, await listed(memory, { signal }))
    }),
  )
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: TEMPLATES }))
  server.setRequestHandler('resources/read', ({ params: { uri } }, { mcpReq: { signal } }) =>
    forProtocol(() => read(memory, uri, { signal })),
  )
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }, { mcpReq: { signal } }) =>
    forProtocol(async () => {
      const isTopic = ref.type === 'ref/resource' && ref.uri === WORLD_TEMPLATE && argument.name === 'topic'
      const isEntry = ref.type === 'ref/resource' && ref.uri === ENTRY_TEMPLATE && argument.name === 'name'
      if (!isTopic && !isEntry) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `only topic of ${WORLD_TEMPLATE} and name of ${ENTRY_TEMPLATE} can be completed`,
        )
      }
      const heads = await visibleHeads(memory, { signal, ...(isTopic ? { kinds: ['topic'] as const } : {}) })
      return { completion: completed(argument.value, heads) }
    }),
  )
}

/** The memory first, then topics, then the agent's own, each by name. */
async function listed(memory: Memory, options: CallOptions): Promise<readonly Resource[]> {
  const heads = await visibleHeads(memory, options)
  const rows = heads.flatMap((head) => {
    const uri = listedUri(head)
    return uri === undefined ? [] : [{ uri, head }]
  })
  const inOrder = rows.toSorted((a, b) => rank(a.uri) - rank(b.uri) || (a.uri < b.uri ? -1 : 1))
  const own = heads.find(({ kind }) => kind === 'memory')
  return [
    {
      uri: MEMORY_URI,
      name: 'memory',
      description: `What the agent ${memory.agent} always remembers: its MEMORY.md.`,
      mimeType: MARKDOWN,
      ...(own ? { annotations: { lastModified: own.updatedAt } } : {}),
    },
    ...inOrder.map(({ uri, head }) => resourceOf(uri, head)),
  ]
}

function resourceOf(uri: string, { name, description, updatedAt }: EntryHead): Resource {
  return {
    uri,
    name: name ?? uri,
    ...(description === '' ? {} : { description }),
    mimeType: MARKDOWN,
    annotations: { lastModified: updatedAt },
  }
}

function rank(uri: string): number {
  const addressed = parseResourceUri(uri)
  return addressed ? ['memory', 'topic', 'entry'].indexOf(addressed.is) : -1
}

/** The cursor is the last address of the page before, so that entries which come or go between two pages shift nothing. */
function pageAfter(
  cursor: string | undefined,
  all: readonly Resource[],
): { resources: Resource[]; nextCursor?: string } {
  if (cursor !== undefined && rank(cursor) === -1) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'this cursor is not from here; list from the beginning')
  }
  const isAfter = ({ uri }: Resource): boolean =>
    cursor === undefined || rank(uri) > rank(cursor) || (rank(uri) === rank(cursor) && uri > cursor)
  const rest = all.filter(isAfter)
  const resources = rest.slice(0, PAGE)
  const last = resources.at(-1)
  return { resources, ...(rest.length > PAGE && last ? { nextCursor: last.uri } : {}) }
}

async function read(memory: Memory, uri: string, options: CallOptions): Promise<ReadResourceResult> {
  const addressed = parseResourceUri(uri)
  if (!addressed) throw new ResourceNotFoundError(uri)
  // A memory that was never written is there, and empty: a client that follows it hears of the first word.
  if (addressed.is === 'memory') return markdown(uri, (await memory.get('MEMORY', options))?.content ?? '')
  const entry =
    addressed.is === 'entry' ? await memory.get(addressed.name, options) : await topic(memory, addressed.name, options)
  if (!entry) throw new ResourceNotFoundError(uri)
  return markdown(uri, entry.content)
}

async function topic({ store, clock }: Memory, name: string, options: CallOptions): Promise<Entry | undefined> {
  const entry = await store.resolve(WORLD, name, options)
  return entry?.kind === 'topic' && !isExpired(entry, instant(clock())) ? entry : undefined
}

function markdown(uri: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType: MARKDOWN, text }] }
}

/** What begins with the value first, then what holds it; names before aliases. */
function completed(value: string, heads: readonly EntryHead[]): { values: string[]; total: number; hasMore: boolean } {
  const named = heads.flatMap(({ name, aliases }) => (name === null ? [] : [{ name, aliases }]))
  const names = [...named.map(({ name }) => name).toSorted(), ...named.flatMap(({ aliases }) => aliases).toSorted()]
  const wanted = value.toLowerCase()
  const places = names.map((name) => ({ name, at: name.toLowerCase().indexOf(wanted) }))
  const values = [
    ...new Set([
      ...places.flatMap(({ name, at }) => (at === 0 ? [name] : [])),
      ...places.flatMap(({ name, at }) => (at > 0 ? [name] : [])),
    ]),
  ]
  return {
    values: values.slice(0, MOST_COMPLETIONS),
    total: values.length,
    hasMore: values.length > MOST_COMPLETIONS,
  }
}
