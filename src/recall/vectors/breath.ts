/** Long work, and how it lets others have a turn. */
import type { Steps } from '../../search/steps.ts'

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

/** Lets everybody else have a turn: long work that never waits for anything would keep them from it. */
export function breath(): Promise<void> {
  return pause(0)
}

/** Others wait for no longer than about this. */
const SLICE_MS = 15

/** Long work that was cut into small steps, with a breath now and then, by the clock. */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted()
  for (let beganMs = performance.now(); ; ) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() - beganMs < SLICE_MS) continue
    await breath()
    signal?.throwIfAborted()
    beganMs = performance.now()
  }
}

/** Characters that are cut into pieces between two breaths: milliseconds. */
const CHARACTERS = 64_000
/** To read an entry costs something, however short it is. */
const LEAST_CHARACTERS = 4_000

/** A breath now and then, by how much text was worked on. */
export class Breathing {
  #characters = 0

  async after(text: string): Promise<void> {
    this.#characters += Math.max(text.length, LEAST_CHARACTERS)
    if (this.#characters < CHARACTERS) return
    this.#characters = 0
    await breath()
  }
}
