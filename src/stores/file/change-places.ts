/** Where each kept change lies, oldest first: those of the last fold as they lie in the catalogue, and those since. Only ever grows. */
export class ChangePlaces {
  readonly #numbers: Float64Array
  readonly #offsets: Float64Array
  readonly #latestNumbers: number[] = []
  readonly #latestOffsets: number[] = []

  constructor(numbers: Float64Array = new Float64Array(), offsets: Float64Array = new Float64Array()) {
    this.#numbers = numbers
    this.#offsets = offsets
  }

  get count(): number {
    return this.#numbers.length + this.#latestNumbers.length
  }

  number(index: number): number {
    const packed = this.#numbers.length
    return (index < packed ? this.#numbers[index] : this.#latestNumbers[index - packed]) ?? 0
  }

  /** Where its frame begins. */
  offset(index: number): number {
    const packed = this.#offsets.length
    return (index < packed ? this.#offsets[index] : this.#latestOffsets[index - packed]) ?? 0
  }

  push(number: number, offset: number): void {
    this.#latestNumbers.push(number)
    this.#latestOffsets.push(offset)
  }

  /** The first whose number is higher; `count` when there is none. */
  indexAfter(number: number): number {
    let low = 0
    for (let high = this.count; low < high; ) {
      const middle = (low + high) >>> 1
      if (this.number(middle) <= number) low = middle + 1
      else high = middle
    }
    return low
  }
}
