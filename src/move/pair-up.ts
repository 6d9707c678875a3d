/** Walks two rows of things at once and puts those of one key together, however they are ordered; where both agree on the order, little is held. */
export async function* pairUp<T>(
  first: AsyncIterable<T>,
  second: AsyncIterable<T>,
  keyOf: (item: T) => string,
): AsyncGenerator<readonly [first: T | undefined, second: T | undefined]> {
  const [a, b] = [first[Symbol.asyncIterator](), second[Symbol.asyncIterator]()]
  const [waitingA, waitingB] = [new Map<string, T>(), new Map<string, T>()]
  try {
    for (let [endA, endB] = [false, false]; !endA || !endB; ) {
      const inA = endA ? undefined : await a.next()
      const inB = endB ? undefined : await b.next()
      endA = inA?.done ?? true
      endB = inB?.done ?? true
      if (inA && !inA.done) {
        const key = keyOf(inA.value)
        waitingA.set(key, inA.value)
      }
      if (inB && !inB.done) {
        const key = keyOf(inB.value)
        const partner = waitingA.get(key)
        waitingA.delete(key)
        if (partner === undefined) waitingB.set(key, inB.value)
        else yield [partner, inB.value]
      }
      if (inA && !inA.done) {
        const key = keyOf(inA.value)
        const partner = waitingB.get(key)
        if (partner === undefined) continue
        waitingA.delete(key)
        waitingB.delete(key)
        yield [inA.value, partner]
      }
    }
    for (const item of waitingA.values()) yield [item, undefined]
    for (const item of waitingB.values()) yield [undefined, item]
  } finally {
    await a.return?.()
    await b.return?.()
  }
}
