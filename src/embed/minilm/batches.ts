/**
 * Cuts a call into batches of texts of like length, since a short text pays for the longest of its batch. A batch is small: more
 * at once is no faster (docs/decisions/0019), and somebody else's short question waits for the batch that runs.
 */
const MOST_TEXTS = 16
/** All texts at the length of the longest, which is what a batch costs; about a tenth of a second. */
const MOST_CHARACTERS = 1_000
/** More of one text is not looked at: 256 tokens are about as many characters of prose. */
const COUNTED_CHARACTERS = 1_200

/** Each batch as places in `texts`. */
export function batchesOf(texts: readonly string[]): readonly (readonly number[])[] {
  const lengths = texts.map((text) => Math.min(text.length, COUNTED_CHARACTERS))
  const byLength = [...texts.keys()].sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0))
  const batches: number[][] = []
  for (const place of byLength) {
    const batch = batches.at(-1)
    const longest = lengths[batch?.[0] ?? place] ?? 0
    const hasRoom = batch !== undefined && batch.length < MOST_TEXTS && (batch.length + 1) * longest <= MOST_CHARACTERS
    if (hasRoom) batch.push(place)
    else batches.push([place])
  }
  return batches
}
