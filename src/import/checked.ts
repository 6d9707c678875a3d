/**
 * Candidates as an entry can hold them, by the model's own checks. What no entry can hold is told and left out; a name that is
 * none costs only the name.
 */
import { isKeepsakeError } from '../errors.ts'
import { normalizeContent, normalizeDescription } from '../model/content.ts'
import type { Metadata, Scope } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { derivedId } from '../model/id.ts'
import { canonicalJson, normalizeMetadata } from '../model/json.ts'
import { nameFromContent, normalizeName } from '../model/name.ts'
import type { ImportFormat } from './formats.ts'
import type { Candidate, ImportProblem } from './plan.ts'

/** Where the candidates come from, and whose they become. */
export interface ImportSource {
  readonly format: ImportFormat
  /** Tells two sources of one format apart, as a path does; '' where their keys do so by themselves. */
  readonly place: string
  readonly agent: Scope
  readonly now: string
}

export interface CheckedCandidate extends Candidate {
  /** Derived from where it comes from, so that it is known again. MEMORY.md has the id of its page; a note in its stead has this. */
  readonly id: string
  readonly aliases: readonly string[]
  readonly description: string
  readonly metadata: Metadata
}

export function checkCandidates(
  candidates: readonly Candidate[],
  source: ImportSource,
): { readonly checked: readonly CheckedCandidate[]; readonly problems: readonly ImportProblem[] } {
  const byId = new Map<string, CheckedCandidate>()
  const problems: ImportProblem[] = []
  for (const candidate of candidates) {
    const problem = (text: string, taken?: true): void => {
      problems.push({ source: candidate.source, problem: text, ...(taken ? { taken } : {}) })
    }
    try {
      const checked = checkedOf(candidate, source, problem)
      const other = byId.get(checked.id)
      if (isExpired({ expiresAt: checked.expiresAt ?? null }, source.now)) problem('has expired there')
      else if (!other) byId.set(checked.id, checked)
      else if (!saysTheSame(other, checked)) problem(`says otherwise than ${other.source}, which is the same one`)
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      problem(error.message)
    }
  }
  return { checked: [...byId.values()], problems }
}

function checkedOf(
  candidate: Candidate,
  { format, place, agent }: ImportSource,
  problem: (text: string, taken: true) => void,
): CheckedCandidate {
  const { name: given, ...rest } = candidate
  const content = normalizeContent(candidate.content)
  const kept = nameOf(given, (text) => problem(`${text}; its name is made of its first words`, true))
  const name = kept ?? (candidate.kind === 'note' ? nameFromContent(content) : undefined)
  return {
    ...rest,
    ...(name === undefined ? {} : { name }),
    content,
    id: derivedId(agent, `import/${format}/${place}\0${candidate.key}`),
    aliases: (candidate.aliases ?? []).flatMap((alias) => nameOf(alias, (text) => problem(text, true)) ?? []),
    description: normalizeDescription(candidate.description),
    metadata: normalizeMetadata(candidate.metadata),
  }
}

function nameOf(given: string | undefined, tell: (problem: string) => void): string | undefined {
  if (given === undefined) return undefined
  try {
    return normalizeName(given)
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    tell(error.message)
    return undefined
  }
}

type Said = Pick<CheckedCandidate, 'content' | 'description' | 'metadata' | 'expiresAt'>

/** Whether `b` has all that `a` says. Names apart, which may be another's here. */
export function saysTheSame(a: Said, b: Said): boolean {
  return (
    (a.expiresAt === undefined || a.expiresAt === (b.expiresAt ?? null)) &&
    a.content === b.content &&
    a.description === b.description &&
    canonicalJson(a.metadata) === canonicalJson(b.metadata)
  )
}
