/**
 * The tar format, as much of it as a backup needs: regular files and folders in POSIX ustar headers, with pax records for
 * what those can't say (long or non-ASCII names, fractions of a second, huge sizes). The same members give the same bytes: no
 * owner, no group, no clock. Reading is in tar-read.ts.
 */

export const TAR_BLOCK = 512
const MOST_OCTAL = 0o77777777777

export interface TarMember {
  /** With forward slashes, a folder's without the one at its end. */
  readonly path: string
  readonly type: 'file' | 'folder'
  /** Of its bytes; 0 for a folder. */
  readonly size: number
  readonly mode: number
  /** Seconds since 1970, down to the microsecond. */
  readonly mtime: number
}

const encoder = new TextEncoder()

/** A whole archive in pieces: for each member its headers, its bytes and what fills up the last block; then the end mark. */
export function* encodeTar(members: Iterable<readonly [TarMember, Uint8Array]>): Generator<Uint8Array> {
  for (const [member, bytes] of members) {
    if (bytes.length !== member.size) throw new Error(`unreachable: ${member.path} has not the size it says`)
    yield encodeHeaders(member)
    if (bytes.length > 0) yield bytes
    const filling = fillingOf(bytes.length)
    if (filling > 0) yield new Uint8Array(filling)
  }
  yield new Uint8Array(2 * TAR_BLOCK)
}

function encodeHeaders({ path, type, size, mode, mtime }: TarMember): Uint8Array {
  const name = encoder.encode(type === 'folder' ? `${path}/` : path)
  const records = [
    isPlain(name) ? '' : paxRecord('path', type === 'folder' ? `${path}/` : path),
    size <= MOST_OCTAL ? '' : paxRecord('size', String(size)),
    isWhole(mtime) ? '' : paxRecord('mtime', mtime.toFixed(6)),
  ].join('')
  const seconds = isWhole(mtime) ? mtime : Math.min(Math.max(0, Math.floor(mtime)), MOST_OCTAL)
  const own = ustar({
    name: isPlain(name) ? name : asciiOf(name),
    typeflag: type === 'folder' ? '5' : '0',
    size: size <= MOST_OCTAL ? size : 0,
    mode,
    seconds,
  })
  if (records === '') return own
  const body = encoder.encode(records)
  const pax = ustar({
    name: encoder.encode('PaxHeader'),
    typeflag: 'x',
    size: body.length,
    mode: 0o644,
    seconds,
  })
  const all = new Uint8Array(TAR_BLOCK + body.length + fillingOf(body.length) + TAR_BLOCK)
  all.set(pax)
  all.set(body, TAR_BLOCK)
  all.set(own, all.length - TAR_BLOCK)
  return all
}

interface UstarFields {
  readonly name: Uint8Array
  readonly typeflag: string
  readonly size: number
  readonly mode: number
  readonly seconds: number
}

function ustar({ name, typeflag, size, mode, seconds }: UstarFields): Uint8Array {
  const block = new Uint8Array(TAR_BLOCK)
  const put = (offset: number, text: string): void => block.set(encoder.encode(text), offset)
  block.set(name)
  put(100, octal(mode, 7))
  put(108, octal(0, 7))
  put(116, octal(0, 7))
  put(124, octal(size, 11))
  put(136, octal(seconds, 11))
  put(156, typeflag)
  put(257, 'ustar\x0000')
  put(148, `${octal(checksumOf(block), 6)}\0 `)
  return block
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

/** A name that fits an old header, which has no word for its encoding. */
function isPlain(name: Uint8Array): boolean {
  return name.length <= 100 && name.every((byte) => byte < 0x80)
}

/** For programs that know no pax: something like the name, in the room there is. */
function asciiOf(name: Uint8Array): Uint8Array {
  return name.slice(0, 100).map((byte) => (byte < 0x80 ? byte : 0x5f))
}

function isWhole(mtime: number): boolean {
  return Number.isInteger(mtime) && mtime >= 0 && mtime <= MOST_OCTAL
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits too. */
function paxRecord(key: string, value: string): string {
  const rest = encoder.encode(` ${key}=${value}\n`).length
  let length = rest
  while (length !== rest + String(length).length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

/** How much is missing to a whole block. */
export function fillingOf(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK
}

/** The sum of a header's bytes, with blanks where the sum itself stands. */
export function checksumOf(block: Uint8Array): number {
  let sum = 0
  for (const [index, byte] of block.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte
  return sum
}
