/**
 * From what a batch did to entries to what it does to files: for each file a new text, its removal, or a text at its end.
 * Reads the files it rewrites, so that everything in them that is not ours stays; writes nothing.
 */
import { serializeCard } from '../../codec/card.ts'
import type { FileEntry, ParseYaml } from '../../codec/file-entry.ts'
import type { FileWrite } from '../../codec/journal-record.ts'
import { type LogBlock, parseLog, replaceBlocks, serializeBlock, textToAppend } from '../../codec/log.ts'
import { serializePage } from '../../codec/page.ts'
import type { Entry, Origin } from '../../model/entry.ts'
import { derivedId, timeOfId } from '../../model/id.ts'
import { KINDS } from '../../model/kinds.ts'
import type { Step } from '../../model/operation.ts'
import { instant, localTime } from '../../model/time.ts'
import { hashBytes } from '../disk/reading.ts'
import { flavourOf, isBare, type Said } from './file-text.ts'
import { type Layout, mirrorPath, type Place, placeOf } from './layout.ts'

/** The files as this turn will have left them so far. */
export interface TurnFiles {
  /** `undefined` when there is no such file. */
  text(path: string): string | undefined
  end(path: string): { readonly size: number; readonly lastTwo: string }
}

export interface ProjectionContext {
  readonly layout: Layout
  readonly zone: string
  readonly yaml: ParseYaml
  readonly files: TurnFiles
  readonly read: (place: Place, text: string) => Said
}

export function project(steps: readonly Step[], context: ProjectionContext): FileWrite[] {
  const byPath = new Map<string, Step[]>()
  const note = (path: string | undefined, step: Step): void => {
    if (path === undefined) return
    const touching = byPath.get(path)
    // A memory that is moved here may bring all of a log's entries at once.
    if (touching) touching.push(step)
    else byPath.set(path, [step])
  }
  for (const step of steps) {
    const [from, to] = [step.before?.path, step.after?.path]
    note(from, step)
    if (to !== from) note(to, step)
    const head = step.after ?? step.before
    if (head) {
      const mirror = mirrorPath(context.layout, head)
      if (mirror !== from && mirror !== to) note(mirror, step)
    }
  }
  return [...byPath].flatMap(([path, touching]) => {
    const head = touching[0]?.after ?? touching[0]?.before
    if (!head) return []
    const place = placeOf(context.layout, head, path)
    const write =
      KINDS[head.kind].shape === 'log' ? projectLog(place, touching, context) : projectOne(place, touching, context)
    return write ? [write] : []
  })
}

function projectOne(place: Place, steps: readonly Step[], context: ProjectionContext): FileWrite | undefined {
  const last = steps.findLast((step) => step.after?.path === place.path || step.before?.path === place.path)
  const entry = last?.after?.path === place.path ? last.after : undefined
  const previous = context.files.text(place.path)
  // A renamed entry takes along what people added to its file; what they added to one that lay here goes with that.
  const origin = entry && steps.find(({ before }) => before?.id === entry.id)?.before?.path
  const isAnothers = steps.some(({ before }) => before?.path === place.path && before.id !== entry?.id)
  const model = (isAnothers ? undefined : previous) ?? (origin === undefined ? undefined : context.files.text(origin))
  const text = entry && textOf(entry, place, model, context)
  if (text === previous) return undefined
  return whole(place.path, previous, text)
}

function textOf(entry: Entry, place: Place, previous: string | undefined, context: ProjectionContext): string {
  const file = fileEntry(entry, place)
  if (KINDS[entry.kind].shape === 'card') return serializeCard(file, previous, context.yaml)
  return serializePage(file, previous, context.yaml, { bare: isBare(entry.kind) })
}

function projectLog(place: Place, steps: readonly Step[], context: ProjectionContext): FileWrite | undefined {
  const title = flavourOf(place.kind) === 'time' ? place.stem : undefined
  if (steps.every((step) => !step.before)) {
    const { size, lastTwo } = context.files.end(place.path)
    const added = steps.flatMap(({ after }) => after ?? [])
    return { path: place.path, at: size, append: blocksBehind(lastTwo, title, added, place, context.zone) }
  }
  const previous = context.files.text(place.path)
  const { entries, log } = context.read(place, previous ?? '')
  // Blocks that a person wrote have no id in them: whose is whose is settled once, before anything moves.
  const blocks = (log?.blocks ?? []).map((block, index) => ({ block, entry: entries[index] }))
  const touched = new Map(steps.map((step) => [(step.after ?? step.before)?.id, step.after]))
  const shifting = new Set(
    blocks.flatMap(({ block, entry }) => (isUnnamed(block) && touched.has(entry?.id) ? block.heading : [])),
  )
  const replacements = new Map<number, string | undefined>()
  for (const [index, { block, entry }] of blocks.entries()) {
    if (!entry) continue
    // Later ones under the same heading are counted from here: they get their ids written down, so that they keep them.
    const keeps = isUnnamed(block) && shifting.has(block.heading) && !touched.has(entry.id)
    if (!keeps && !touched.has(entry.id)) continue
    const after = keeps ? entry : touched.get(entry.id)
    replacements.set(index, after && blockOf(after, place, context.zone))
  }
  const kept = log ? replaceBlocks(log, replacements) : ''
  const there = new Set(entries.map((entry) => entry.id))
  const added = [...touched].flatMap(([id, after]) => (after && !there.has(id ?? '') ? after : []))
  const text = kept + blocksBehind(kept.slice(-2), title, added, place, context.zone)
  if (text === previous) return undefined
  return whole(place.path, previous, parseLog(text, flavourOf(place.kind)).blocks.length === 0 ? undefined : text)
}

/** Pieces, joined at the end: to look at the end of a text that grows would copy it for each of thousands. */
function blocksBehind(
  end: string,
  title: string | undefined,
  entries: readonly Entry[],
  place: Place,
  zone: string,
): string {
  let lastTwo = end
  const pieces = entries.map((entry) => {
    const piece = textToAppend(lastTwo, title, blockOf(entry, place, zone))
    lastTwo = (lastTwo + piece).slice(-2)
    return piece
  })
  return pieces.join('')
}

function isUnnamed(block: LogBlock): boolean {
  return block.entry.id === undefined
}

export function whole(path: string, previous: string | undefined, text: string | undefined): FileWrite | undefined {
  if (previous === text) return undefined
  return {
    path,
    before: previous === undefined ? null : hashBytes(previous),
    after: text === undefined ? null : hashBytes(text),
    text: text ?? '',
  }
}

function blockOf(entry: Entry, place: Place, zone: string): string {
  const flavour = flavourOf(entry.kind)
  const heading = flavour === 'instant' ? entry.createdAt : localTime(entry.createdAt, zone).time
  return serializeBlock(fileEntry(entry, place), heading, flavour)
}

/** What the file must say of an entry: all that its path, its heading and its id do not say already. */
function fileEntry(entry: Entry, place: Place): FileEntry {
  const { id, name, aliases, description, metadata, content, createdAt, updatedAt, expiresAt } = entry
  const said = {
    aliases,
    description,
    metadata,
    content,
    ...(expiresAt === null ? {} : { expiresAt }),
  }
  const origin = isDefaultOrigin(entry.origin, entry.scope) ? {} : { origin: entry.origin }
  const updated = updatedAt === createdAt ? {} : { updatedAt }
  switch (KINDS[entry.kind].shape) {
    case 'page':
      return {
        ...said,
        ...(name === null || name === place.stem || isBare(entry.kind) ? {} : { name }),
        ...(id === derivedId(entry.scope, place.inScope) ? {} : { id }),
      }
    case 'card':
      return { ...said, ...origin, ...updated, id, kind: entry.kind, createdAt, ...(name === null ? {} : { name }) }
    case 'log': {
      const ms = timeOfId(id)
      const derivable = flavourOf(entry.kind) === 'instant' || (ms !== undefined && instant(ms) === createdAt)
      return {
        ...said,
        ...origin,
        ...updated,
        id,
        ...(entry.key === undefined ? {} : { key: entry.key }),
        ...(derivable ? {} : { createdAt }),
      }
    }
  }
}

function isDefaultOrigin(origin: Origin, scope: string): boolean {
  if (origin.session !== undefined) return false
  return origin.by === 'hand' || origin.by === 'user' || (origin.by === 'agent' && (origin.agent ?? scope) === scope)
}
