/**
 * A revision says what an entry holds, not how often it was written: it survives a clone, and two stores agree on it.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Entry } from './entry.ts'
import { canonicalJson } from './json.ts'

const encoder = new TextEncoder()

type Revised = Pick<Entry, 'name' | 'aliases' | 'description' | 'content' | 'metadata' | 'expiresAt'>

export function revisionOf(entry: Revised): string {
  const aliases = [...entry.aliases].sort()
  const { name, description, content, metadata, expiresAt } = entry
  return digest16(canonicalJson({ name, aliases, description, content, metadata, expiresAt }))
}

/** 16 hex digits of SHA-256: enough to tell versions of one thing apart, short enough to read aloud. */
export function digest16(text: string): string {
  return hexDigest(text, 8)
}

/** 32 hex digits: enough to know a text again among all others. */
export function digest32(text: string): string {
  return hexDigest(text, 16)
}

function hexDigest(text: string, bytes: number): string {
  return bytesToHex(sha256(encoder.encode(text)).subarray(0, bytes))
}
