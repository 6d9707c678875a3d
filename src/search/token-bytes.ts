/**
 * The tokens of a document in the bytes of a frozen segment: seven bits a byte, the high bit says that more follow. The
 * commonest terms have the lowest numbers, so most tokens take one byte or two. These sequences serve phrases, removing
 * (a document's own terms, without a look at any other), merging, and telling documents alike.
 */
let scratch = new Uint32Array(1024)

/** The tokens between two offsets. The array is used again by the next call. */
export function readTokens(bytes: Uint8Array, start: number, end: number): Uint32Array {
  if (scratch.length < end - start) scratch = new Uint32Array((end - start) * 2)
  const tokens = scratch
  let count = 0
  let at = start
  while (at < end) {
    let byte = bytes[at++] ?? 0
    let value = byte & 127
    for (let shift = 7; byte > 127 && at < end; shift += 7) {
      byte = bytes[at++] ?? 0
      value |= (byte & 127) << shift
    }
    tokens[count++] = value
  }
  return tokens.subarray(0, count)
}

/** Gives the offset behind it. */
export function writeToken(bytes: Uint8Array, at: number, token: number): number {
  let rest = token
  let next = at
  while (rest > 127) {
    bytes[next++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[next++] = rest
  return next
}

export function tokenLength(token: number): number {
  return token < 1 << 7 ? 1 : token < 1 << 14 ? 2 : token < 1 << 21 ? 3 : token < 1 << 28 ? 4 : 5
}
