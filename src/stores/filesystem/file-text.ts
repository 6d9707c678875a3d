/**
 * What a file says, as entries: the one place where bytes on disk, a place in the layout and what we know already come
 * together. A file that can't be understood gives a problem and no entries; it is never an exception.
 */
import { parseCard } from '../../codec/card.ts'
import { BrokenText, type FileEntry, type ParseYaml } from '../../codec/file-entry.ts'
import { blockWith, type LogBlock, type LogFile, type LogFlavour, lineOfBlock, parseLog } from '../../codec/log.ts'
import { parsePage } from '../../codec/page.ts'
import { isKeepsakeError } from '../../errors.ts'
import type { Entry, EntryHead } from '../../model/entry.ts'
import { defaultExpiry } from '../../model/expiry.ts'
import { derivedId, timeOfId } from '../../model/id.ts'
import { KINDS, type Kind } from '../../model/kinds.ts'
import { normalizeName, refuseReservedName } from '../../model/name.ts'
import { digest16, revisionOf } from '../../model/revision.ts'
import { instant, instantOfLocal, isDay, startOfDay } from '../../model/time.ts'
import type { Place } from './layout.ts'

export interface Said {
  readonly entries: readonly Entry[]
  /** For logs: the blocks, in step with `entries`. */
  readonly log?: LogFile
  readonly problems: readonly string[]
  /** Of the problems those that say of an entry that nobody can read when it began or ends. */
  readonly undated?: readonly string[]
}

export interface ReadContext {
  readonly zone: string
  readonly yaml: ParseYaml
  /** The file's own time, for what says none. */
  readonly mtimeMs: number
  /** The text is, to the byte, the one that what is known was taken from or written to. */
  readonly isAsKnown?: boolean
  /** What is known of an id already: its seq, times and origin stay. */
  readonly known: (id: string) => EntryHead | undefined
  /** Whether this file may hold the id it names: a copy made by hand may not. */
  readonly mayHold: (id: string) => boolean
}

const UNREADABLE_BEGINNING = /^(?:line \d+: )?created: /

export function flavourOf(kind: Kind): LogFlavour {
  return 'monthly' in KINDS[kind].place ? 'instant' : 'time'
}

export function readText(place: Place, text: string, context: ReadContext): Said {
  switch (KINDS[place.kind].shape) {
    case 'log':
      return readLog(place, text, context)
    case 'card':
      return readOne(place, context, () => parseCard(text, context.yaml))
    case 'page':
      return readOne(place, context, () => parsePage(text, context.yaml, { bare: isBare(place.kind) }))
  }
}

/** MEMORY.md and the identity are text alone: they are never parsed for front matter. */
export function isBare(kind: Kind): boolean {
  return !KINDS[kind].attributes
}

function readOne(place: Place, context: ReadContext, parse: () => FileEntry): Said {
  try {
    const said = parse()
    const kind = KINDS[place.kind].shape === 'card' ? (said.kind ?? 'note') : place.kind
    const name = KINDS[kind].fixedName ?? normalizeName(said.name ?? place.stem)
    if (KINDS[kind].fixedName === undefined) refuseReservedName(name)
    // Made only where they are needed: hashing takes longer than all the rest, and most files name their id.
    const own = (): string => derivedId(place.scope, place.inScope)
    const second = (): string => derivedId(place.scope, `${place.inScope}#2`)
    const mayHold = (id: string | undefined): string | undefined =>
      id !== undefined && context.mayHold(id) ? id : undefined
    const id = keptId(place, said.id, () => [own(), second()], context) ?? mayHold(said.id) ?? mayHold(own())
    const fileTime = instant(context.mtimeMs)
    const createdAt = said.createdAt
    return {
      entries: [
        merge(place, { ...said, kind, name, id: id ?? second() }, context, {
          createdAt: createdAt ?? fileTime,
          updatedAt: said.updatedAt ?? createdAt ?? fileTime,
          expiresAt: said.expiresAt ?? null,
        }),
      ],
      ...toldOf(said.undated),
    }
  } catch (error) {
    const problem = problemOf(error)
    return { entries: [], problems: [problem], ...(UNREADABLE_BEGINNING.test(problem) ? { undated: [problem] } : {}) }
  }
}

function toldOf(undated: string | undefined): Pick<Said, 'problems' | 'undated'> {
  return undated === undefined ? { problems: [] } : { problems: [undated], undated: [undated] }
}

function readLog(place: Place, text: string, context: ReadContext): Said {
  const log = parseLog(text, flavourOf(place.kind))
  const counts = new Map<string, number>()
  const taken = new Set<string>()
  // An id that a block names is that block's, though another would come to the same by its place.
  const named = new Set(log.blocks.map(({ entry }) => entry.id))
  const isFree = (id: string): boolean => !taken.has(id) && !named.has(id)
  const problems: string[] = []
  const undated: string[] = []
  const entries = log.blocks.map((block, index) => {
    if (block.problem !== undefined) {
      const problem = `line ${lineOfBlock(log, index)}: ## ${block.heading}: ${block.problem}`
      problems.push(problem)
      if (block.entry.undated !== undefined) undated.push(problem)
    }
    const said = block.entry.id
    const own = (): readonly string[] => [unnamedId(place, block, new Map(counts), isFree)]
    const isKept = keptId(place, said, own, context) !== undefined
    const isHeld = said !== undefined && !isKept && !taken.has(said) && context.mayHold(said)
    const id = isHeld ? said : unnamedId(place, block, counts, isFree)
    taken.add(id)
    const createdAt = timeOfBlock(place, block, context)
    return merge(place, { ...block.entry, kind: place.kind, id }, context, {
      createdAt,
      updatedAt: block.entry.updatedAt ?? createdAt,
      // Ours says when it ends, or that it does not by saying nothing; a person's gets what its kind gives. What is said and
      // can't be read is no reason to remove it.
      expiresAt: block.entry.expiresAt ?? (isSaid(block) ? null : defaultExpiry(place.kind, createdAt, context.zone)),
    })
  })
  return { entries, log, problems, ...(undated.length === 0 ? {} : { undated }) }
}

function isSaid({ entry }: LogBlock): boolean {
  return entry.id !== undefined || entry.undated !== undefined
}

/**
 * One entry of a log whose text is, to the byte, what the journal tells. `undefined` when only the whole log can say: where
 * the id stands more than once or may be written in another way, or the entry does not name it.
 */
export function readLogEntry(place: Place, text: string, known: EntryHead): Entry | undefined {
  const { id, scope, kind, path } = known
  if (scope !== place.scope || kind !== place.kind || path !== place.path) return undefined
  if (text.indexOf(id) !== text.lastIndexOf(id) || text.includes('\\u')) return undefined
  const block = blockWith(text, id, flavourOf(kind))
  return block?.entry.id === id ? { ...known, content: block.entry.content } : undefined
}

/**
 * A copy that was taken in under an id of its own keeps it, also when the original, whose id it still names, is gone.
 * `own`: the ids that the place alone gives.
 */
function keptId(
  place: Place,
  said: string | undefined,
  own: () => readonly string[],
  context: ReadContext,
): string | undefined {
  if (said === undefined || context.known(said)?.path === place.path) return undefined
  return own().find((id) => context.known(id)?.path === place.path)
}

/** The id of a block that names none of its own: its file, its heading, and which of those it is. */
function unnamedId(
  place: Place,
  block: LogBlock,
  counts: Map<string, number>,
  isFree: (id: string) => boolean,
): string {
  // History stands in two files, so its id must not come from either.
  const stem =
    place.kind === 'history'
      ? `history#${block.heading}/${digest16(block.entry.content)}`
      : `${place.inScope}#${block.heading}`
  for (;;) {
    const count = (counts.get(stem) ?? 0) + 1
    counts.set(stem, count)
    const id = derivedId(place.scope, `${stem}/${count}`)
    if (isFree(id)) return id
  }
}

function timeOfBlock(place: Place, block: LogBlock, context: ReadContext): string {
  if (flavourOf(place.kind) === 'instant' && block.heading !== '') return block.heading
  if (block.entry.createdAt !== undefined) return block.entry.createdAt
  const ms = block.entry.id === undefined ? undefined : timeOfId(block.entry.id)
  if (ms !== undefined) return instant(ms)
  if (!isDay(place.stem)) return instant(context.mtimeMs)
  if (block.heading === '') return startOfDay(place.stem, context.zone)
  return instantOfLocal(place.stem, block.heading, context.zone)
}

type Identified = FileEntry & { readonly id: string; readonly kind: Kind }
type Times = Pick<EntryHead, 'createdAt' | 'updatedAt' | 'expiresAt'>

/** What the file says wins; what it does not say stays as we know it. An entry that says something new is a hand's. */
function merge(place: Place, said: Identified, context: ReadContext, times: Times): Entry {
  const known = context.known(said.id)
  const isSame = known?.scope === place.scope && known.kind === said.kind
  // Hashing every entry of a log takes longer than all the rest of reading it.
  if (context.isAsKnown && isSame && known.path === place.path) return { ...known, content: said.content }
  const body = {
    name: said.name ?? null,
    aliases: said.aliases.map((alias) => normalizeName(alias, 'alias')).filter((alias) => alias !== said.name),
    description: said.description,
    content: said.content,
    metadata: said.metadata,
    expiresAt: times.expiresAt,
  }
  const revision = revisionOf(body)
  if (isSame && known.revision === revision) {
    return { ...known, path: place.path, content: said.content }
  }
  return {
    id: said.id,
    seq: known?.seq ?? 0,
    revision,
    scope: place.scope,
    kind: said.kind,
    ...(said.key === undefined ? {} : { key: said.key }),
    ...body,
    createdAt: known?.createdAt ?? times.createdAt,
    updatedAt: known ? instant(context.mtimeMs) : times.updatedAt,
    origin: known ? { by: 'hand' } : (said.origin ?? { by: 'hand' }),
    path: place.path,
  }
}

function problemOf(error: unknown): string {
  if (error instanceof BrokenText || isKeepsakeError(error)) return error.message
  throw error
}
