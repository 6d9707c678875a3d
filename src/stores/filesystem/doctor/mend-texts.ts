/**
 * Mends in files that people may have open: ids that stand twice, and names that are spelled in NFD. Only under the
 * lock. What is written goes the store's own way, so that a hand that saves at the same moment loses nothing.
 */
import { linkSync } from 'node:fs'
import { parseCard, serializeCard } from '../../../codec/card.ts'
import { parseLog } from '../../../codec/log.ts'
import { parsePage, serializePage } from '../../../codec/page.ts'
import { derivedId } from '../../../model/id.ts'
import { KINDS } from '../../../model/kinds.ts'
import { decodeText, hashBytes, readFileAt } from '../../disk/reading.ts'
import { attempt, removeFile } from '../../disk/system.ts'
import { flavourOf } from '../file-text.ts'
import type { Place } from '../layout.ts'
import type { Workspace } from '../workspace.ts'
import { type DuplicateId, duplicateIds } from './duplicate-checks.ts'
import type { Evidence } from './evidence.ts'
import { decomposedNames } from './name-checks.ts'
import { sayAsWritten } from './texts.ts'

/** Every further place that names an id gets down in writing the one by which the store knows it already. */
export function mendIds(evidence: Evidence): void {
  const taken = new Set(evidence.texts.flatMap(({ entries }) => entries.map(({ id }) => id)))
  // From the end of a file to its beginning, so that a block's number still tells which it is.
  for (const duplicate of duplicateIds(evidence).toReversed()) mendId(evidence, duplicate, taken)
}

function mendId({ workspace }: Evidence, duplicate: DuplicateId, taken: Set<string>): void {
  const { place, index, id } = duplicate
  rewrite(workspace, place, (text, mtimeMs) => {
    const known = workspace.files.see(place)?.said.entries[index]?.id
    const isLog = KINDS[place.kind].shape === 'log'
    const derived = derivedId(place.scope, isLog ? `${place.inScope}#${id}/${index}` : place.inScope)
    const own = [known, derived].find((one) => one !== undefined && one !== id && !taken.has(one))
    if (own === undefined) return text
    taken.add(own)
    if (!isLog) return withId(workspace, place, text, own)
    const createdAt = sayAsWritten(place, text, mtimeMs, { workspace }).entries[index]?.createdAt
    return withBlockId(place, text, duplicate, own, createdAt)
  })
}

export function mendNormalForms(evidence: Evidence): void {
  const { workspace, texts } = evidence
  for (const { path, target } of decomposedNames(evidence)) {
    const facts = texts.find(({ place }) => place.path === path)
    const id = facts?.entries[0]?.id
    if (!facts || id === undefined) continue
    // An id that comes from the path would be another one under the new name.
    if (!facts.entries[0]?.named) rewrite(workspace, facts.place, (text) => withId(workspace, facts.place, text, id))
    const [from, to] = [workspace.absolute(path), workspace.absolute(target)]
    attempt('renaming', from, () => linkSync(from, to))
    removeFile(from)
  }
}

function withId({ yaml }: Workspace, place: Place, text: string, id: string): string {
  if (KINDS[place.kind].shape === 'card') return serializeCard({ ...parseCard(text, yaml), id }, text, yaml)
  return serializePage({ ...parsePage(text, yaml), id }, text, yaml, { bare: false })
}

/** Only the id changes, and where its time came from the id, that is written down beside it. */
function withBlockId(
  place: Place,
  text: string,
  { index, id }: DuplicateId,
  own: string,
  createdAt: string | undefined,
): string {
  const log = parseLog(text, flavourOf(place.kind))
  const block = log.blocks[index]
  if (!block) return text
  const at = block.entry.createdAt === undefined && flavourOf(place.kind) === 'time' && createdAt !== undefined
  const mended = block.raw.replace(id, at ? `${own}","at":"${createdAt}` : own)
  const rest = log.blocks.map(({ raw }, other) => (other === index ? mended : raw))
  return log.head + rest.join('')
}

function rewrite(workspace: Workspace, place: Place, change: (text: string, mtimeMs: number) => string): void {
  workspace.refuseLinks(place.path)
  const path = workspace.absolute(place.path)
  const file = readFileAt(path)
  const text = file && decodeText(file.bytes)
  if (!file || text === undefined) return
  const changed = change(text, file.stats.mtimeMs)
  if (changed === text) return
  // What a hand saves meanwhile is parked, and journaled by the next writer.
  workspace.swap.replace(place.path, path, Buffer.from(changed), hashBytes(file.bytes), file.stats.mode & 0o777)
}
