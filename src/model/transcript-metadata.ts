/** The first line of a transcript: how to tell it from a record, and how often a purge has rewritten the transcript. Pure. */
import type { Metadata } from './entry.ts'

/** How often a purge has rewritten a transcript, by its metadata. */
export function purgeCount({ purges }: Metadata): number {
  return typeof purges === 'number' && Number.isSafeInteger(purges) && purges > 0 ? purges : 0
}

/** A record has a `type`; the metadata has a `key` or `createdAt` and no `type`. */
export function isTranscriptMetadata(value: unknown): value is Metadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !('type' in value) && ('key' in value || 'createdAt' in value)
}
