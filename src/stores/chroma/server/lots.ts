/** Cuts what is to be sent into requests, in its order: none holds more pieces or bytes than that, unless one piece alone does. */
export function inLots<T>(
  pieces: readonly T[],
  most: number,
  mostBytes: number = Infinity,
  bytesOf?: (piece: T) => number,
): T[][] {
  const lots: T[][] = []
  let lot: T[] = []
  let bytes = 0
  for (const piece of pieces) {
    const more = bytesOf?.(piece) ?? 0
    if (lot.length > 0 && (lot.length >= most || bytes + more > mostBytes)) {
      lots.push(lot)
      lot = []
      bytes = 0
    }
    lot.push(piece)
    bytes += more
  }
  return lot.length === 0 ? lots : [...lots, lot]
}
