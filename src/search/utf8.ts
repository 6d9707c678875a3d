/**
 * Texts as UTF-8: compact, the same in memory and in the file, and in byte order they stand by code point, so that all
 * words of a prefix lie side by side. Half characters (lone surrogates) become U+FFFD, in the index and in what is
 * looked up alike.
 */
const encoder = new TextEncoder()
// Without `ignoreBOM` a text that begins with U+FEFF would come back without it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function encode(text: string): Uint8Array {
  return encoder.encode(text)
}

let lastKey = ''
let lastKeyBytes: Uint8Array = new Uint8Array()

/** The same for a text that is looked up in one segment after the other. */
export function encodeKey(text: string): Uint8Array {
  if (text !== lastKey) {
    lastKeyBytes = encoder.encode(text)
    lastKey = text
  }
  return lastKeyBytes
}

/** There must be three bytes of room for each unit of the text. Gives how many are used. */
export function encodeInto(text: string, bytes: Uint8Array, at: number): number {
  // Most ids and terms are short and plain: a loop is several times as fast as the call.
  const plain = text.length < 64 ? text.length : 0
  for (let i = 0; i < plain; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 127) return i + encoder.encodeInto(text.slice(i), bytes.subarray(at + i)).written
    bytes[at + i] = unit
  }
  return plain === text.length ? plain : encoder.encodeInto(text, bytes.subarray(at)).written
}

export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Compares two ranges of bytes as unsigned numbers; a prefix comes first. */
export function compareBytes(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const shared = Math.min(aEnd - aStart, bEnd - bStart)
  for (let i = 0; i < shared; i++) {
    const difference = (a[aStart + i] ?? 0) - (b[bStart + i] ?? 0)
    if (difference !== 0) return difference
  }
  return aEnd - aStart - (bEnd - bStart)
}

/** As `<` compares the texts that the bytes are of, by UTF-16 units: above the basic plane is before U+E000 there. */
export function compareTexts(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const [left, right] = [a[i] as number, b[i] as number] // both below the length
    if (left === right) continue
    return left >= 0xee && right >= 0xee && left >= 0xf0 !== right >= 0xf0 ? right - left : left - right
  }
  return a.length - b.length
}
