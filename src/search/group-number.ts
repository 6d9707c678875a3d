/**
 * 53 bits for a group, the same in every process and segment: groups of any text take one number each, and equal ones meet
 * across indexes; 0 is none. Two groups in a million share a number with a chance of one in ten thousand; all it does is
 * to make them one group. For telling apart, not for secrets.
 */
export function groupNumber(group: string): number {
  if (group === '') return 0
  const high = hash(group, 0x811c9dc5) & 0x1fffff
  return high * 2 ** 32 + hash(group, 0x3c6ef372) || 1
}

/** FNV-1a over UTF-16 units, then stirred, so that a difference in the last unit reaches every bit. */
function hash(text: string, seed: number): number {
  let value = seed
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  for (const shift of [16, 13]) value = Math.imul(value ^ (value >>> shift), 0x5bd1e995)
  return (value ^ (value >>> 15)) >>> 0
}
