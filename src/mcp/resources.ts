/**
 * The memory as resources that a person picks in a client: listed by the page, read as Markdown, completed by name. A read
 * finds what `memory.get` finds and nothing else, so another agent's memory has no address here. A client puts what it reads into
 * a prompt, so texts are escaped; completions are parts of an address, and stay as they are.
 */
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server'
import type { KeepsakeError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import { type Entry, type EntryHead, WORLD } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { instant } from '../model/time.ts'
import { unreadable } from '../model/unreadable.ts'
import type { CallOptions, ScanFilter } from '../ports/store.ts'
import { neutral } from '../prompt/neutral.ts'
import { forProtocol } from './protocol-failure.ts'
import {
  type Addressed,
  ENTRY_TEMPLATE,
  listedAs,
  listedUri,
  MEMORY_URI,
  parseResourceUri,
  WORLD_TEMPLATE,
} from './resource-uri.ts'

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
      return pageAfter(params?.cursor, memory.agent, await memory.heads({}, { signal }))
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
      const heads = await memory.heads(isTopic ? { kinds: ['topic'] } : {}, { signal })
      return { completion: completed(argument.value, heads) }
    }),
  )
}

/**
 * The memory first, then topics, then the agent's own, each by name. The cursor is the last address of the page before, so that
 * entries which come or go between two pages shift nothing. Of all that are there only a page is made into addresses.
 */
function pageAfter(cursor: string | undefined, agent: string, heads: readonly EntryHead[]): ListResourcesResult {
  const after = cursor === undefined ? undefined : placeOf(cursor)
  const rows = heads.flatMap((head) => rowOf(head) ?? []).filter((row) => after === undefined || isBefore(after, row))
  const first = after === undefined ? [memoryResource(agent, heads)] : []
  const last = PAGE - first.length
  const inOrder = rows.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const resources = [...first, ...inOrder.slice(0, last).map(({ head }) => resourceOf(head))]
  const nextCursor = rows.length > last ? resources.at(-1)?.uri : undefined
  return { resources, ...(nextCursor === undefined ? {} : { nextCursor }) }
}

interface Place {
  readonly rank: number
  readonly name: string
}

const RANKS = { memory: 0, topic: 1, entry: 2 } as const

function isBefore(a: Place, b: Place): boolean {
  return a.rank === b.rank ? a.name < b.name : a.rank < b.rank
}

function placeOf(cursor: string): Place {
  const addressed = parseResourceUri(cursor)
  if (!addressed) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'this cursor is not from here; list from the beginning')
  }
  return { rank: RANKS[addressed.is], name: addressed.is === 'memory' ? '' : addressed.name }
}

function rowOf(head: EntryHead): (Place & { readonly head: EntryHead }) | undefined {
  const is = listedAs(head)
  return is === undefined || head.name === null ? undefined : { rank: RANKS[is], name: head.name, head }
}

function memoryResource(agent: string, heads: readonly EntryHead[]): Resource {
  const own = heads.find(({ kind }) => kind === 'memory')
  return {
    uri: MEMORY_URI,
    name: 'memory',
    description: `What the agent ${agent} always remembers: its MEMORY.md.`,
    mimeType: MARKDOWN,
    ...(own ? { annotations: { lastModified: own.updatedAt } } : {}),
  }
}

function resourceOf(head: EntryHead): Resource {
  const uri = listedUri(head) ?? ''
  return {
    uri,
    name: neutral(head.name ?? uri),
    ...(head.description === '' ? {} : { description: neutral(head.description) }),
    mimeType: MARKDOWN,
    annotations: { lastModified: head.updatedAt },
  }
}

async function read(memory: Memory, uri: string, options: CallOptions): Promise<ReadResourceResult> {
  const addressed = parseResourceUri(uri)
  if (!addressed) throw new ResourceNotFoundError(uri)
  if (addressed.is === 'memory') return markdown(uri, await memoryText(memory, options))
  const { is, name } = addressed
  const entry = is === 'entry' ? await memory.get(name, options) : await topic(memory, name, options)
  if (!entry) throw (await whyUnreadable(memory, addressed, options)) ?? new ResourceNotFoundError(uri)
  return markdown(uri, entry.content)
}

/** A memory that was never written is there, and empty: a client that follows it hears of the first word. */
async function memoryText(memory: Memory, options: CallOptions): Promise<string> {
  const entry = await memory.get('MEMORY', options)
  if (entry) return entry.content
  const error = unreadable(await memory.store.problems({ scopes: [memory.agent], kinds: ['memory'] }))
  if (error) throw error
  return ''
}

/** What is listed and can't be read is no address that leads nowhere. */
async function whyUnreadable(
  memory: Memory,
  { is, name }: Exclude<Addressed, { readonly is: 'memory' }>,
  options: CallOptions,
): Promise<KeepsakeError | undefined> {
  const where: ScanFilter = is === 'topic' ? { scopes: [WORLD], kinds: ['topic'] } : { scopes: [WORLD, memory.agent] }
  const problems = await memory.store.problems(where)
  if (problems.length === 0) return undefined
  const known = (await memory.heads(where, options)).filter((head) =>
    [head.id, head.name, ...head.aliases].includes(name),
  )
  return unreadable(problems, [name, ...known.flatMap((head) => head.name ?? [])])
}

async function topic({ store, clock }: Memory, name: string, options: CallOptions): Promise<Entry | undefined> {
  const entry = await store.resolve(WORLD, name, options)
  return entry?.kind === 'topic' && !isExpired(entry, instant(clock())) ? entry : undefined
}

function markdown(uri: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType: MARKDOWN, text: neutral(text) }] }
}

/** What begins with the value first, then what holds it; names before aliases. */
function completed(value: string, heads: readonly EntryHead[]): { values: string[]; total: number; hasMore: boolean } {
  const named = heads.flatMap(({ name, aliases }) => (name === null ? [] : [{ name, aliases }]))
  const names = [...named.map(({ name }) => name).toSorted(), ...named.flatMap(({ aliases }) => aliases).toSorted()]
  // Names are NFC, and a keyboard may give an accent as a character of its own.
  const wanted = value.normalize('NFC').toLowerCase()
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
