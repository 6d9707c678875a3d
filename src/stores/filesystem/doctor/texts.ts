/** One look at one file with entries: what is wrong with its text, and the facts that are kept of it. */
import { isKeepsakeError } from '../../../errors.ts'
import { derivedId } from '../../../model/id.ts'
import type { Kind } from '../../../model/kinds.ts'
import { type Finding, finding, saidOf } from '../../disk/doctor/finding.ts'
import { decodeText, hashBytes } from '../../disk/reading.ts'
import { readText, type Said } from '../file-text.ts'
import type { Place } from '../layout.ts'
import type { Scene } from './evidence.ts'
import { secretsIn } from './secret-check.ts'
import { checkText } from './text-checks.ts'

export interface EntryFacts {
  /** As the file says it, or derived from its place where it says none. */
  readonly id: string
  /** Whether the file itself says the id. */
  readonly named: boolean
  readonly kind: Kind
  readonly name: string | null
  readonly aliases: readonly string[]
  readonly contentHash: string
  /** Of a log: whether it stands under a heading of its own. */
  readonly headed: boolean
}

export interface TextFacts {
  readonly place: Place
  /** Whether it can be told what entries it holds. */
  readonly understood: boolean
  readonly entries: readonly EntryFacts[]
}

/** A text at hand. */
export interface SeenText {
  readonly place: Place
  readonly bytes: Uint8Array
  readonly text: string
  readonly said: Said
}

export function lookAtText(
  place: Place,
  scene: Scene,
): { readonly facts: TextFacts; readonly findings: readonly Finding[] } {
  const nothing: TextFacts = { place, understood: false, entries: [] }
  const read = bytesOf(place, scene)
  if (!read) return { facts: nothing, findings: [] }
  if ('problem' in read) {
    const hint = 'Check its owner and mode, and the disk.'
    return { facts: nothing, findings: [finding('unreadable', place.path, read.problem, hint)] }
  }
  const { bytes, mtimeMs } = read
  const text = decodeText(bytes)
  if (text === undefined) {
    const hint = 'It is left as it is. Save it as UTF-8, or restore it from a backup.'
    return { facts: nothing, findings: [finding('not-utf8', place.path, 'it is not UTF-8 text', hint)] }
  }
  const said = sayAsWritten(place, text, mtimeMs, scene)
  const seen: SeenText = { place, bytes, text, said }
  return {
    facts: { place, understood: said.problems.length === 0 || said.entries.length > 0, entries: entryFacts(seen) },
    findings: [...checkText(seen, scene), ...secretsIn(seen, scene)],
  }
}

function bytesOf(
  place: Place,
  { workspace }: Scene,
): { readonly bytes: Uint8Array; readonly mtimeMs: number } | { readonly problem: string } | undefined {
  try {
    const { bytes, mtimeMs } = workspace.files.bytesOf(place.path)
    return bytes === null ? undefined : { bytes, mtimeMs }
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return { problem: saidOf(error) }
  }
}

/** What the file says on its own, whatever is known of it or stands elsewhere. */
export function sayAsWritten(
  place: Place,
  text: string,
  mtimeMs: number,
  { workspace }: Pick<Scene, 'workspace'>,
): Said {
  return readText(place, text, {
    zone: workspace.settings.timezone,
    yaml: workspace.yaml,
    mtimeMs,
    known: () => undefined,
    mayHold: () => true,
  })
}

export function entryFacts({ place, said }: Pick<SeenText, 'place' | 'said'>): EntryFacts[] {
  return said.entries.map((entry, index) => {
    const block = said.log?.blocks[index]
    const id = block?.entry.id ?? entry.id
    return {
      id,
      named: block ? block.entry.id !== undefined : id !== derivedId(place.scope, place.inScope),
      kind: entry.kind,
      name: entry.name,
      aliases: entry.aliases,
      contentHash: hashBytes(entry.content),
      headed: block !== undefined && block.heading !== '',
    }
  })
}
