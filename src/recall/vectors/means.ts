/** The one vector of each entry that stands for all its pieces, a few at a time. */
import type { Steps } from '../../search/steps.ts'

export function* means(
  ids: readonly string[],
  meanOf: (id: string) => Float32Array | undefined,
): Steps<ReadonlyMap<string, Float32Array>> {
  const found = new Map<string, Float32Array>()
  for (const id of ids) {
    const mean = meanOf(id)
    if (mean) found.set(id, mean)
    yield mean?.length ?? 0
  }
  return found
}
