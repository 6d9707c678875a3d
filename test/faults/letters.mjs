// An embedding by letters: real vectors, of which texts with the same letters have the same, and a count of what was asked for.
// For tests of the bookkeeping; plain JavaScript, so that child processes run it without a build.
const LETTERS = 26

export class Letters {
  model
  given = []
  /** Called before each batch. */
  before = () => undefined
  #dimensions

  constructor(model = 'letters', dimensions = LETTERS + 1) {
    this.model = model
    this.#dimensions = dimensions
  }

  get loaded() {
    return this
  }

  async load() {
    return this
  }

  async embed(texts, { signal } = {}) {
    await this.before(texts)
    signal?.throwIfAborted()
    this.given.push(...texts)
    return texts.map((text) => lettersOf(text, this.#dimensions))
  }

  async close() {}

  /** What was given since the last call. */
  take() {
    return this.given.splice(0)
  }
}

export function lettersOf(text, dimensions = LETTERS + 1) {
  const counts = new Float32Array(dimensions)
  counts[dimensions - 1] = 1
  for (const [letter] of text.toLowerCase().matchAll(/[a-z]/g))
    counts[(letter.charCodeAt(0) - 97) % (dimensions - 1)] += 1
  const length = Math.hypot(...counts)
  return counts.map((count) => count / length)
}
