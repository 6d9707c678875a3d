/**
 * The pure rules of the five operations: a batch on a draft gives the steps it takes, or an error and no step. Every store
 * uses this one function, so that all agree; it reads no clock and makes no id itself.
 */
import { ConflictError, InvalidError, NameTakenError, NotFoundError } from '../errors.ts'
import { normalizeContent, normalizeDescription, normalizeText } from './content.ts'
import type { Draft, StateView } from './draft.ts'
import { keyHandle } from './draft.ts'
import { type Entry, ORIGINS, type Origin, WORLD } from './entry.ts'
import { defaultExpiry } from './expiry.ts'
import { derivedId, isId } from './id.ts'
import { normalizeMetadata } from './json.ts'
import { aKind, KINDS, type Kind, parseKind } from './kinds.ts'
import { nameFromContent, normalizeAgentId, normalizeName, refuseReservedName, slug, slugCandidates } from './name.ts'
import type {
  AddOperation,
  AliasOperation,
  Batch,
  Expect,
  Operation,
  RemoveOperation,
  RenameOperation,
  Step,
  WriteOperation,
} from './operation.ts'
import { revisionOf } from './revision.ts'
import type { SeqCounter } from './seq.ts'
import { requireInstant } from './time.ts'

/** What applying needs from outside: the time, new ids and seqs, and the zone that says when a day ends. */
export interface ApplyContext {
  readonly now: string
  readonly zone: string
  readonly newId: () => string
  readonly seqs: SeqCounter
}

/** A batch that takes changes back may bring back what only a hand could have made: blank texts, and one name twice. */
interface Rules extends ApplyContext {
  readonly isUndo: boolean
}

/** Checks what the writer expects, then applies each operation to the draft in order. Throws before it changes anything half. */
export function applyBatch(draft: Draft, batch: Batch, context: ApplyContext, expect: Expect = {}): Step[] {
  checkExpect(draft, expect)
  const origin = normalizeOrigin(batch.origin)
  const rules: Rules = { ...context, isUndo: batch.reverts !== undefined }
  for (const operation of batch.operations) if (operation.op === 'add') context.seqs.reserve(operation.seq)
  return batch.operations.flatMap((operation) => {
    const steps = stepsOf(draft, operation, origin, rules)
    for (const step of steps) draft.put((step.after ?? step.before)?.id ?? '', step.after)
    return steps
  })
}

function stepsOf(draft: Draft, operation: Operation, origin: Origin, context: Rules): Step[] {
  switch (operation.op) {
    case 'add':
      return [add(draft, operation, origin, context)]
    case 'write':
      return write(draft, operation, origin, context)
    case 'rename':
      return rename(draft, operation, context)
    case 'alias':
      return alias(draft, operation, context)
    case 'remove':
      return [remove(draft, operation)]
    default:
      throw new InvalidError(
        'operation',
        `"${String((operation as { op?: unknown }).op)}" is not an operation`, // the type says it can't be; the caller may be JavaScript
        'add, write, rename, alias, remove',
      )
  }
}

function checkExpect(draft: Draft, expect: Expect): void {
  for (const [id, expected] of Object.entries(expect)) {
    const actual = draft.head(id)?.revision ?? null
    if (actual !== expected) throw new ConflictError(id, expected, actual)
  }
}

function add(draft: Draft, given: AddOperation, origin: Origin, context: Rules): Step {
  const kind = parseKind(given.kind)
  const rule = KINDS[kind]
  const scope = rule.scope === 'world' ? requireWorld(given.scope, kind) : normalizeAgentId(given.scope, 'scope')
  const content = contentFor(kind, given.content, context)
  const createdAt = requireInstant(given.createdAt ?? context.now, 'createdAt')
  const description = normalizeDescription(given.description)
  const metadata = normalizeMetadata(given.metadata)
  if (
    !rule.attributes &&
    (description !== '' || Object.keys(metadata).length > 0 || (given.aliases?.length ?? 0) > 0)
  ) {
    throw new InvalidError(kind, 'has no description, aliases or metadata', 'content only')
  }
  const name = nameFor(draft, given, scope, content, context)
  const aliases = aliasesFor(draft, given, scope, name, context)
  const key = keyFor(draft, given, scope)
  const id = given.id ?? (rule.shape === 'page' ? pageId(draft, given.kind, scope, name) : context.newId())
  if (!isId(id)) throw new InvalidError('id', `"${id}" is not an id`, 'a UUID in lower case')
  const existing = draft.head(id)
  if (existing) throw new ConflictError(id, null, existing.revision)
  const entry = {
    scope,
    kind,
    name,
    ...(key === undefined ? {} : { key }),
    aliases,
    description,
    content,
    metadata,
    createdAt,
    updatedAt: given.updatedAt === undefined ? createdAt : requireInstant(given.updatedAt, 'updatedAt'),
    expiresAt: expiryFor(given, createdAt, context.zone),
    origin: given.origin ? normalizeOrigin(given.origin) : origin,
  }
  const seq = context.seqs.take(id, given.seq, context)
  const after: Entry = { id, seq, revision: revisionOf(entry), ...entry }
  return { operation: { op: 'add', ...withoutRevision(after) }, after }
}

function contentFor(kind: Kind, content: unknown, { isUndo }: Rules): string {
  const mayBeBlank = isUndo || KINDS[kind].naming === 'fixed'
  return mayBeBlank ? normalizeText(content, 'content') : normalizeContent(content)
}

/** A page is known by where it lies, so that every clone of the files gives it the same id. */
function pageId(draft: Draft, kind: Kind, scope: string, name: string | null): string {
  const { place } = KINDS[kind]
  if ('file' in place) return derivedId(scope, place.file)
  const folder = 'folder' in place ? `${place.folder}/` : ''
  for (const candidate of slugCandidates(name ?? '')) {
    const id = derivedId(scope, `${folder}${candidate}.md`)
    // Held by a page that was renamed since: its id stayed with it.
    if (draft.head(id) === undefined) return id
  }
  throw new Error('unreachable: there is always a next candidate')
}

function write(draft: Draft, given: WriteOperation, origin: Origin, context: Rules): Step[] {
  const before = requireEntry(draft, given.id)
  const rule = KINDS[before.kind]
  const patch = {
    ...(given.content === undefined ? {} : { content: contentFor(before.kind, given.content, context) }),
    ...(given.description === undefined ? {} : { description: normalizeDescription(given.description) }),
    ...(given.metadata === undefined ? {} : { metadata: normalizeMetadata(given.metadata) }),
    ...(given.expiresAt === undefined ? {} : { expiresAt: requireExpiry(given.expiresAt) }),
  }
  if (Object.keys(patch).length === 0) {
    throw new InvalidError('write', 'changes nothing', 'any of content, description, metadata, expiresAt')
  }
  if (!rule.attributes && (patch.description || (patch.metadata && Object.keys(patch.metadata).length > 0))) {
    throw new InvalidError(before.kind, 'has no description or metadata', 'content only')
  }
  if (patch.expiresAt && !rule.ttl) throw new InvalidError('expiresAt', `${aKind(before.kind)} never expires`, 'null')
  const after = revised({ ...before, ...patch, origin }, context)
  // Storing a fact again confirms it, which updates its time.
  if (after.revision === before.revision && before.kind !== 'fact') return []
  return [{ operation: { op: 'write', id: before.id, ...patch }, before, after }]
}

function rename(draft: Draft, given: RenameOperation, context: Rules): Step[] {
  const before = requireNamed(draft, given.id, 'renamed')
  const name = normalizeName(given.name)
  requireSlug(name, before.kind)
  if (name === before.name) return []
  refuseTaken(draft, before.scope, name, before.id, context)
  // The old name stays, because markers and people's links hold names.
  const aliases = [...before.aliases.filter((alias) => alias !== name), before.name]
  const after = revised({ ...before, name, aliases }, context)
  return [{ operation: { op: 'rename', id: before.id, name }, before, after }]
}

function alias(draft: Draft, given: AliasOperation, context: Rules): Step[] {
  const before = requireNamed(draft, given.id, 'given an alias')
  const name = normalizeName(given.alias, 'alias')
  const mode = given.mode ?? 'bind'
  if (mode === 'drop') {
    if (!before.aliases.includes(name)) {
      throw new InvalidError(
        'alias',
        `"${name}" is not an alias of "${before.name}"`,
        before.aliases.join(', ') || 'nothing, for it has no alias',
      )
    }
    return [
      aliasStep(
        before,
        before.aliases.filter((other) => other !== name),
        { ...given, alias: name },
        context,
      ),
    ]
  }
  if (mode !== 'bind' && mode !== 'take') throw new InvalidError('mode', `"${String(mode)}"`, 'bind, take, drop')
  if (name === before.name || before.aliases.includes(name)) return []
  const steps: Step[] = []
  const ownerId = draft.owner(before.scope, name)
  if (mode === 'take' && ownerId !== undefined) {
    const owner = requireEntry(draft, ownerId)
    if (owner.name === name) throw new NameTakenError(name, owner)
    const rest = owner.aliases.filter((other) => other !== name)
    steps.push(aliasStep(owner, rest, { op: 'alias', id: owner.id, alias: name, mode: 'drop' }, context))
  } else {
    refuseTaken(draft, before.scope, name, before.id, context)
  }
  steps.push(aliasStep(before, [...before.aliases, name], { op: 'alias', id: before.id, alias: name }, context))
  return steps
}

function aliasStep(before: Entry, aliases: readonly string[], operation: AliasOperation, context: ApplyContext): Step {
  return { operation, before, after: revised({ ...before, aliases }, context) }
}

function remove(draft: Draft, given: RemoveOperation): Step {
  return { operation: { op: 'remove', id: given.id }, before: requireEntry(draft, given.id) }
}

function revised(entry: Entry, context: ApplyContext): Entry {
  // A clock that went back must not make an entry older than it is.
  const updatedAt = context.now > entry.updatedAt ? context.now : entry.updatedAt
  return { ...entry, updatedAt, revision: revisionOf(entry) }
}

function nameFor(draft: Draft, given: AddOperation, scope: string, content: string, context: Rules): string | null {
  const rule = KINDS[given.kind]
  if (rule.naming === 'none' || rule.naming === 'key') {
    if (given.name !== undefined && given.name !== null) {
      throw new InvalidError('name', `${aKind(given.kind)} has no name`, 'no name; it is addressed by its id')
    }
    return null
  }
  if (rule.fixedName !== undefined) {
    if (given.name !== undefined && given.name !== null && given.name !== rule.fixedName) {
      throw new InvalidError('name', `the ${given.kind} of an agent is called ${rule.fixedName}`, rule.fixedName)
    }
    const owner = draft.owner(scope, rule.fixedName)
    if (owner !== undefined) throw new NameTakenError(rule.fixedName, requireEntry(draft, owner))
    return rule.fixedName
  }
  if (given.name === undefined || given.name === null) return freeName(draft, scope, nameFromContent(content))
  const name = normalizeName(given.name)
  requireSlug(name, given.kind)
  refuseTaken(draft, scope, name, undefined, context)
  return name
}

function freeName(draft: Draft, scope: string, base: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base} (${n})`
    if (draft.owner(scope, name) === undefined) return name
  }
}

function aliasesFor(draft: Draft, given: AddOperation, scope: string, name: string | null, context: Rules): string[] {
  if (given.aliases !== undefined && !Array.isArray(given.aliases)) {
    throw new InvalidError('aliases', 'is not a list', 'a list of names')
  }
  const aliases = [...new Set((given.aliases ?? []).map((alias) => normalizeName(alias, 'alias')))]
  if (aliases.length === 0) return []
  if (name === null) throw new InvalidError('aliases', `${aKind(given.kind)} has no aliases`, 'none')
  for (const alias of aliases) refuseTaken(draft, scope, alias, undefined, context)
  return aliases.filter((alias) => alias !== name)
}

function keyFor(draft: Draft, given: AddOperation, scope: string): string | undefined {
  if (KINDS[given.kind].naming !== 'key') {
    if (given.key !== undefined)
      throw new InvalidError('key', `${aKind(given.kind)} has no key`, 'a key for context only')
    return undefined
  }
  if (given.key === undefined) return undefined
  const key = normalizeName(given.key, 'key')
  const owner = draft.owner(scope, keyHandle(key))
  if (owner !== undefined) throw new NameTakenError(key, requireEntry(draft, owner))
  return key
}

function expiryFor(given: AddOperation, createdAt: string, zone: string): string | null {
  if (given.expiresAt === undefined) return defaultExpiry(given.kind, createdAt, zone)
  const expiresAt = requireExpiry(given.expiresAt)
  if (expiresAt !== null && !KINDS[given.kind].ttl) {
    throw new InvalidError('expiresAt', `${aKind(given.kind)} never expires`, 'null')
  }
  return expiresAt
}

function refuseTaken(draft: Draft, scope: string, name: string, self: string | undefined, { isUndo }: Rules): void {
  refuseReservedName(name)
  if (isUndo) return
  const owner = draft.owner(scope, name)
  if (owner !== undefined && owner !== self) throw new NameTakenError(name, requireEntry(draft, owner))
}

/** A topic is known by its file; one without letter or digit has no file name that says anything. */
function requireSlug(name: string, kind: Entry['kind']): void {
  if (kind === 'topic' && slug(name) === '') {
    throw new InvalidError('topic', `"${name}" has neither letter nor digit`, 'a name with a letter or a digit')
  }
}

function requireWorld(scope: unknown, kind: Kind): string {
  if (scope === WORLD) return WORLD
  throw new InvalidError('scope', `${aKind(kind)} belongs to everyone`, WORLD)
}

function requireEntry(draft: Draft, id: string): Entry {
  const entry = draft.get(id)
  if (!entry) throw new NotFoundError(id)
  return entry
}

function requireNamed(draft: Draft, id: string, verb: string): Entry & { readonly name: string } {
  const { name, ...entry } = requireEntry(draft, id)
  if (name === null || KINDS[entry.kind].naming !== 'given') {
    throw new InvalidError('entry', `${aKind(entry.kind)} can't be ${verb}`, 'topics, notes, facts and archives')
  }
  return { ...entry, name }
}

function requireExpiry(value: unknown): string | null {
  return value === null ? null : requireInstant(value, 'expiresAt')
}

export function normalizeOrigin(origin: Origin): Origin {
  const by = ORIGINS.find((known) => known === origin?.by)
  if (!by) throw new InvalidError('origin', `"${String(origin?.by)}" is not an origin`, ORIGINS.join(', '))
  return {
    by,
    ...(origin.agent === undefined ? {} : { agent: normalizeAgentId(origin.agent) }),
    ...(origin.session === undefined ? {} : { session: normalizeText(origin.session, 'session') }),
  }
}

function withoutRevision({ revision: _, path: __, ...entry }: Entry): Omit<Entry, 'revision' | 'path'> {
  return entry
}

/** Each entry that a batch touched, before its first step and after its last, in the order in which the batch first touched them. */
export function touchedBy(
  steps: readonly Step[],
): { readonly id: string; readonly before?: Entry; readonly after?: Entry }[] {
  const touched = new Map<string, { id: string; before?: Entry; after?: Entry }>()
  for (const { before, after } of steps) {
    const id = (after ?? before)?.id ?? ''
    const first = touched.has(id) ? touched.get(id)?.before : before
    touched.set(id, { id, ...(first ? { before: first } : {}), ...(after ? { after } : {}) })
  }
  return [...touched.values()]
}

/** The last state of each entry that a batch touched; of a removed entry, the state before its removal. */
export function lastStates(steps: readonly Step[]): Entry[] {
  const last = new Map<string, Entry>()
  for (const { before, after } of steps) {
    const entry = after ?? before
    if (entry) last.set(entry.id, entry)
  }
  return [...last.values()]
}

/** The entries that a batch names, each once: the result of a batch that changed nothing. */
export function namedEntries(batch: Batch, view: Pick<StateView, 'get'>): Entry[] {
  const ids = batch.operations.flatMap((operation) => (operation.op === 'add' ? [] : [operation.id]))
  return [...new Set(ids)].flatMap((id) => view.get(id) ?? [])
}
