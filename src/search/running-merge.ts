/** A merge under way: advanced a little by each write, and told of what is removed from its inputs meanwhile. */
import type { FrozenSegment } from './frozen-segment.ts'
import { mergeSegments } from './merge.ts'
import { liveDocuments, type Segment } from './segment.ts'
import type { Steps } from './steps.ts'

export class RunningMerge {
  readonly inputs: readonly Segment[]
  /** How much there is to do: small merges go first, so that small segments do not pile up behind a large one. */
  readonly size: number
  result: FrozenSegment | undefined
  readonly #removed: { readonly input: number; readonly document: number }[] = []
  readonly #steps: Steps<FrozenSegment>

  constructor(inputs: readonly Segment[], fields: number, columns: number) {
    this.inputs = inputs
    this.size = inputs.reduce((sum, input) => sum + sizeOf(input), 0)
    this.#steps = this.#run(fields, columns)
  }

  noteRemoval(segment: Segment, document: number): void {
    this.#removed.push({ input: this.inputs.indexOf(segment), document })
  }

  /** Goes on until it is done or the units are spent; gives the units left. */
  advance(units: number): number {
    let left = units
    while (left > 0 && this.result === undefined) {
      const next = this.#steps.next()
      if (next.done) this.result = next.value
      else left -= next.value
    }
    return left
  }

  /** At its end nothing is left to remove, and it ends within the write that puts the result in place. */
  *#run(fields: number, columns: number): Steps<FrozenSegment> {
    const { segment, places } = yield* mergeSegments(this.inputs, fields, columns)
    for (let late = this.#removed.pop(); late !== undefined; late = this.#removed.pop()) {
      const place = places[late.input]?.[late.document] ?? -1
      if (place < 0) continue
      segment.remove(place)
      yield segment.tokens(place).length * 4
    }
    return segment
  }
}

/** What a segment costs to merge, roughly: its tokens. */
export function sizeOf(segment: Segment): number {
  return segment.lengthSums.reduce((sum, length) => sum + length, liveDocuments(segment))
}
