/** Short numbers for texts: the same in every process and segment. For telling apart, not for secrets. */

/**
 * 53 bits for a group, so that groups of any text take one number each and equal ones meet across indexes; 0 is none.
 * Two groups in a million share a number with a chance of one in ten thousand; all it does is to make them neighbours.
 */
export function groupNumber(group: string): number {
  if (group === '') return 0
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let i = 0; i < group.length; i++) {
    const unit = group.charCodeAt(i)
    low = Math.imul(low ^ unit, 2654435761)
    high = Math.imul(high ^ unit, 1597334677)
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return 4294967296 * (2097151 & high) + (low >>> 0) || 1
}

/** 32 bits for a term, for sets of terms that are only ever compared by how much they share. */
export function termHash(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
