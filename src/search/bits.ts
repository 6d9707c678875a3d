/** Which documents of a segment are removed: one bit each. */
export class Bits {
  words: Uint32Array
  count = 0

  constructor(words: Uint32Array) {
    this.words = words
  }

  has(index: number): boolean {
    return (((this.words[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1
  }

  add(index: number): void {
    const word = index >>> 5
    if (word >= this.words.length) {
      const grown = new Uint32Array(Math.max(word + 1, this.words.length * 2))
      grown.set(this.words)
      this.words = grown
    }
    this.words[word] = (this.words[word] ?? 0) | (1 << (index & 31))
    this.count++
  }
}
