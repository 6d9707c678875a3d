/**
 * A checksum over a snapshot: four lanes of 32 bits, about a gigabyte a second. Every step is reversible, so a change
 * within one word always shows. It finds damage; against somebody who means harm there are the checks of the parts.
 */

// Odd, so that multiplying loses nothing; as signed numbers, which is what the machine multiplies.
const F1 = 0x9e3779b1 | 0
const F2 = 0x85ebca77 | 0
const F3 = 0xc2b2ae3d | 0
const F4 = 0x27d4eb2f | 0

/** Two numbers over whole words of 32 bits. */
export function checksum(words: Int32Array): readonly [number, number] {
  let a = F1
  let b = F2
  let c = F3
  let d = F4
  const whole = words.length - (words.length % 4)
  for (let i = 0; i < whole; i += 4) {
    a = Math.imul(a ^ (words[i] ?? 0), F1)
    b = Math.imul(b ^ (words[i + 1] ?? 0), F2)
    c = Math.imul(c ^ (words[i + 2] ?? 0), F3)
    d = Math.imul(d ^ (words[i + 3] ?? 0), F4)
    // A product carries upwards only; this brings the high bits down again.
    a ^= a >>> 15
    b ^= b >>> 14
    c ^= c >>> 13
    d ^= d >>> 16
  }
  for (let i = whole; i < words.length; i++) a = mixed(a, words[i] ?? 0)
  const first = [a, b, c, d].reduce(mixed, words.length)
  const second = [d, c, b, a].reduce(mixed, F1)
  return [first >>> 0, second >>> 0]
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, F2)
  return product ^ (product >>> 15)
}
