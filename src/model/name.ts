/**
 * Names, slugs and agent ids: how what people type becomes a name, and how a name becomes a safe part of a path.
 * Invariant: no slug or agent id holds a separator, a leading dot or a name that Windows reserves.
 */
import { InvalidError } from '../errors.ts'
import { KINDS } from './kinds.ts'

const MAX_NAME_CHARACTERS = 200
const MAX_SLUG_CHARACTERS = 80
const MAX_SLUG_BYTES = 200
const MAX_AGENT_CHARACTERS = 64
const WORDS_IN_A_MADE_NAME = 8
const MAX_MADE_NAME_CHARACTERS = 60

const WINDOWS_RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/
const RESERVED_NAMES = new Set(Object.values(KINDS).flatMap((rule) => rule.fixedName ?? []))

const ASCII = /^[\0-\x7f]*$/
const ASCII_SLUG_PART = /[a-z0-9]/
const PLAIN_LINE = /^[ -~]*$/

const encoder = new TextEncoder()

/** NFC, trimmed; an error that names the field when it is empty, too long or holds control characters. */
export function normalizeName(value: unknown, field = 'name'): string {
  if (typeof value !== 'string') throw new InvalidError(field, 'is not text', 'a name of 1 to 200 characters')
  const name = value.normalize('NFC').trim()
  if (name === '') throw new InvalidError(field, 'is empty', 'a name of 1 to 200 characters')
  if (characters(name) > MAX_NAME_CHARACTERS) {
    throw new InvalidError(field, `has ${characters(name)} characters`, 'a name of 1 to 200 characters')
  }
  if (!PLAIN_LINE.test(name) && unprintable().test(name)) {
    throw new InvalidError(field, 'holds control characters or broken Unicode', 'printable characters in one line')
  }
  return name
}

/** Lone surrogates too, and the two separators, which end a line wherever a pattern says `.` or `$`. */
function unprintable(): RegExp {
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu
}

/** `MEMORY` and `IDENTITY` address the two pages that every agent has. */
export function refuseReservedName(name: string): void {
  if (RESERVED_NAMES.has(name)) {
    throw new InvalidError('name', `"${name}" is reserved`, `any name but ${[...RESERVED_NAMES].join(', ')}`)
  }
}

/**
 * The file name of a name, without its ending: NFKC, lower case, letters, marks and digits of every script, one dash for
 * each run of anything else. Empty when the name has neither letter nor digit; the caller decides what that means.
 */
export function slug(name: string): string {
  // The patterns for all scripts take a millisecond to make, and most names do without.
  const isAscii = ASCII.test(name)
  const folded = isAscii ? name.toLowerCase() : foldedForSlug(name)
  const part = isAscii ? ASCII_SLUG_PART : /[\p{L}\p{N}\p{M}]/u
  if (!isAscii && !/[\p{L}\p{N}]/u.test(folded)) return ''
  let out = ''
  let count = 0
  let bytes = 0
  let pendingDash = false
  for (const character of folded) {
    if (!part.test(character)) {
      pendingDash = out !== ''
      continue
    }
    const piece = pendingDash ? `-${character}` : character
    const size = encoder.encode(piece).length
    if (count + (pendingDash ? 2 : 1) > MAX_SLUG_CHARACTERS || bytes + size > MAX_SLUG_BYTES) break
    out += piece
    count += pendingDash ? 2 : 1
    bytes += size
    pendingDash = false
  }
  return out
}

function foldedForSlug(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
}

/** Slugs for a name in the order they are tried: `deploys`, `deploys-2`, `deploys-3`, … Reserved ones are passed over. */
export function* slugCandidates(name: string): Generator<string> {
  const base = slug(name) || 'untitled'
  if (!WINDOWS_RESERVED.test(base)) yield base
  for (let n = 2; ; n++) {
    const suffix = `-${n}`
    yield truncateSlug(base, suffix) + suffix
  }
}

function truncateSlug(base: string, suffix: string): string {
  let out = base
  while (characters(out) + suffix.length > MAX_SLUG_CHARACTERS || encoder.encode(out).length + suffix.length > 200) {
    out = [...out].slice(0, -1).join('')
  }
  return out.replace(/-$/, '')
}

/** An agent's id as it is compared and stored: lower case. */
export function normalizeAgentId(value: unknown, field = 'agent'): string {
  const allowed = 'letters, digits, ".", "_" and "-", at most 64, not starting with a dot'
  if (typeof value !== 'string') throw new InvalidError(field, 'is not text', allowed)
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(value) || value.length > MAX_AGENT_CHARACTERS) {
    throw new InvalidError(field, `"${value}" is not an agent id`, allowed)
  }
  const id = value.toLowerCase()
  if (id === 'world') throw new InvalidError(field, '"world" is the shared scope', `${allowed}; not "world"`)
  if (id.endsWith('.') || WINDOWS_RESERVED.test(id.split('.')[0] ?? '')) {
    throw new InvalidError(field, `"${value}" is not a safe folder name`, `${allowed}; no final dot, no device name`)
  }
  return id
}

/** A name for an entry that was given none: its first words. */
export function nameFromContent(content: string): string {
  const line =
    content
      .slice(0, 2000)
      .split(/[\r\n]/)
      .map((text) => text.replace(/^[#>*+\s-]+/, '').trim())
      .find((text) => /[\p{L}\p{N}]/u.test(text)) ?? 'untitled'
  const words = line.replace(unprintable(), ' ').split(' ').filter(Boolean).slice(0, WORDS_IN_A_MADE_NAME)
  let name = ''
  for (const word of words) {
    const longer = name === '' ? word : `${name} ${word}`
    if (name !== '' && characters(longer) > MAX_MADE_NAME_CHARACTERS) break
    name = longer
  }
  const cut = [...name].slice(0, MAX_MADE_NAME_CHARACTERS).join('').normalize('NFC')
  const trimmed = cut.replace(/[.,;:!?]+$/, '').trim()
  if (slug(trimmed) === '') return 'untitled'
  return RESERVED_NAMES.has(trimmed) ? `${trimmed} (note)` : trimmed
}

function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Names that a person would call the same: case, dashes, underscores and blanks do not tell them apart. */
export function spelling(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, '-')
}
