/**
 * A checksum over a snapshot: four lanes of 32 bits and few steps a word, because a process that answers one question runs
 * much of it before it is compiled: about a gigabyte a second then, and several afterwards. Every step is reversible, so a
 * change within one word always shows. It finds damage; it is no defence against somebody who means harm.
 */

// Odd, so that multiplying loses nothing; as signed numbers, which is what the machine multiplies.
const F1 = 0x9e3779b1 | 0
const F2 = 0x85ebca77 | 0
const F3 = 0xc2b2ae3d | 0
const F4 = 0x27d4eb2f | 0
const { imul } = Math

/** Two numbers over whole words of 32 bits. */
export function checksum(words: Int32Array): readonly [number, number] {
  let a = F1
  let b = F2
  let c = F3
  let d = F4
  const whole = words.length - (words.length % 8)
  for (let i = 0; i < whole; i += 8) {
    // All within the array. A product carries upwards only; the shifts bring its high bits down again.
    a = imul(a ^ (words[i] as number), F1) ^ (words[i + 4] as number)
    b = imul(b ^ (words[i + 1] as number), F2) ^ (words[i + 5] as number)
    c = imul(c ^ (words[i + 2] as number), F3) ^ (words[i + 6] as number)
    d = imul(d ^ (words[i + 3] as number), F4) ^ (words[i + 7] as number)
    a ^= a >>> 15
    b ^= b >>> 14
    c ^= c >>> 13
    d ^= d >>> 16
  }
  for (let i = whole; i < words.length; i++) a = mixed(a, words[i] as number)
  const first = [a, b, c, d].reduce(mixed, words.length)
  const second = [d, c, b, a].reduce(mixed, F1)
  return [first >>> 0, second >>> 0]
}

function mixed(hash: number, word: number): number {
  const product = imul(hash ^ word, F2)
  return product ^ (product >>> 15)
}
