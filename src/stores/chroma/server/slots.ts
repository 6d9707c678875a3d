/**
 * A text as values of metadata, none longer than servers take, and back. Cut between characters, never within one: a half would not
 * be text. Overwriting writes every slot, because a server keeps the values that it is not given anew.
 */
const SLOT_BYTES = 3_900
const SLOTS = 8

const names: readonly string[] = Array.from({ length: SLOTS }, (_, index) => `t${index}`)

/** `every`: with the slots that stay empty. */
export function intoSlots(text: string, { every }: { readonly every: boolean }): Record<string, string> {
  if (!text.isWellFormed()) throw new RangeError('a text with half a character in it is kept by no server')
  const pieces = cut(text)
  const filled = names.slice(0, every ? SLOTS : Math.max(1, pieces.length))
  if (pieces.length > SLOTS)
    throw new RangeError(`a text of ${Buffer.byteLength(text)} bytes is more than a record holds`)
  return Object.fromEntries(filled.map((name, index) => [name, pieces[index] ?? '']))
}

export function fromSlots(values: Readonly<Record<string, unknown>>): string {
  return names.map((name) => values[name] ?? '').join('')
}

export function isSlot(name: string): boolean {
  return names.includes(name)
}

function cut(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  const pieces: string[] = []
  for (let begin = 0; begin < bytes.length; ) {
    let end = Math.min(begin + SLOT_BYTES, bytes.length)
    while (end < bytes.length && isWithin(bytes[end])) end--
    pieces.push(bytes.toString('utf8', begin, end))
    begin = end
  }
  return pieces
}

/** A byte that goes on with the character before it. */
function isWithin(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
