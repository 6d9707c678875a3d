/**
 * Reads the tar format that tar.ts writes, and what the system's `tar` makes of plain files and folders. Takes the bytes in
 * pieces of any size, holds one piece at a time, and refuses what is not whole or not understood. Whether a path may be
 * written anywhere is for its caller to say.
 */
import { checksumOf, fillingOf, TAR_BLOCK, type TarMember } from './tar.ts'

/** What `tar` may put after the end mark to fill up its last record, with room to spare. */
const MOST_FILLING = 1024 * 1024
const MOST_PAX_BYTES = 1024 * 1024

/** What is wrong with an archive, as the end of a sentence; the reader of the file knows its path. */
export class TarError extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Each member, followed by its bytes in pieces. Ends only after a whole archive, with nothing but zeros behind it. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember | Uint8Array> {
  const input = new Input(chunks)
  let pax: ReadonlyMap<string, string> | undefined
  for (;;) {
    const block = await input.take(TAR_BLOCK)
    if (block.every((byte) => byte === 0)) break
    const header = parseHeader(block)
    if (header.typeflag === 'x') {
      if (pax) throw new TarError('it has two headers for one file')
      if (header.size > MOST_PAX_BYTES) throw new TarError('it has a header that is too long')
      pax = parsePax(await input.take(header.size))
      await input.take(fillingOf(header.size))
      continue
    }
    const member = memberOf(header, pax)
    pax = undefined
    yield member
    let left = member.size
    while (left > 0) {
      const piece = await input.some(left)
      left -= piece.length
      yield piece
    }
    await input.take(fillingOf(member.size))
  }
  if (pax) throw new TarError('it ends in the middle')
  await input.refuseMoreThanZeros()
}

interface Header {
  readonly path: string
  readonly typeflag: string
  readonly size: number
  readonly mode: number
  readonly seconds: number
}

const TYPES: Readonly<Record<string, TarMember['type']>> = { '0': 'file', '\0': 'file', '5': 'folder' }
const OTHER_TYPES: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
}

function parseHeader(block: Uint8Array): Header {
  if (parseOctal(block, 148, 8) !== checksumOf(block)) throw new TarError('a header in it is damaged')
  const magic = textOf(block.subarray(257, 263))
  if (!magic.startsWith('ustar')) throw new TarError('it is of a kind of tar that is not understood')
  // GNU's own header has other things where the standard has the beginning of a long name.
  const prefix = magic === 'ustar' ? textOf(block.subarray(345, 500)) : ''
  const name = textOf(block.subarray(0, 100))
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    typeflag: String.fromCharCode(block[156] ?? 0),
    size: parseOctal(block, 124, 12),
    mode: parseOctal(block, 100, 8),
    seconds: parseOctal(block, 136, 12),
  }
}

function memberOf(header: Header, pax: ReadonlyMap<string, string> | undefined): TarMember {
  const path = pax?.get('path') ?? header.path
  const type = TYPES[header.typeflag]
  if (type === undefined) {
    const what = OTHER_TYPES[header.typeflag] ?? `a member of type ${JSON.stringify(header.typeflag)}`
    throw new TarError(`it holds ${what}, "${path}"`)
  }
  const size = numberOf(pax?.get('size')) ?? header.size
  const mtime = numberOf(pax?.get('mtime')) ?? header.seconds
  if (!Number.isSafeInteger(size) || size < 0) throw new TarError(`"${path}" has no size`)
  if (type === 'folder' && size > 0) throw new TarError(`the folder "${path}" has bytes`)
  return {
    path: type === 'folder' && path.endsWith('/') ? path.slice(0, -1) : path,
    type,
    size,
    mode: header.mode & 0o7777,
    mtime: Math.round(mtime * 1e6) / 1e6,
  }
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,16}(\.\d{1,9})?$/.test(text)) throw new TarError(`"${text.slice(0, 40)}" in a header is no number`)
  return Number(text)
}

function parseOctal(block: Uint8Array, offset: number, length: number): number {
  const text = textOf(block.subarray(offset, offset + length)).trim()
  if (!/^[0-7]*$/.test(text)) throw new TarError('a number in a header can not be read')
  return text === '' ? 0 : Number.parseInt(text, 8)
}

function parsePax(bytes: Uint8Array): ReadonlyMap<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at)
    const digits = blank === -1 || blank - at > 7 ? '' : textOf(bytes.subarray(at, blank))
    const end = at + Number(digits)
    const equals = bytes.indexOf(0x3d, blank)
    const isRecord = /^\d+$/.test(digits) && end <= bytes.length && bytes[end - 1] === 0x0a
    if (!isRecord || equals <= blank || equals >= end) throw new TarError('a long header in it is damaged')
    records.set(decode(bytes.subarray(blank + 1, equals)), decode(bytes.subarray(equals + 1, end - 1)))
    at = end
  }
  return records
}

/** Up to the first NUL. */
function textOf(field: Uint8Array): string {
  const end = field.indexOf(0)
  return decode(end === -1 ? field : field.subarray(0, end))
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new TarError('a name in it is not UTF-8')
  }
}

/** Bytes that come in pieces, taken in the lengths that are wanted. */
class Input {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Exactly so many bytes. */
  async take(length: number): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array(0)
    if (this.#rest.length >= length) return this.some(length)
    const all = new Uint8Array(length)
    for (let done = 0; done < length; ) {
      const piece = await this.some(length - done)
      all.set(piece, done)
      done += piece.length
    }
    return all
  }

  /** At least one byte and at most so many. */
  async some(most: number): Promise<Uint8Array> {
    if (!(await this.#fill())) throw new TarError('it ends in the middle')
    const piece = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  async refuseMoreThanZeros(): Promise<void> {
    for (let filling = 0; await this.#fill(); filling += this.#rest.length, this.#rest = new Uint8Array(0)) {
      if (filling > MOST_FILLING || this.#rest.some((byte) => byte !== 0)) {
        throw new TarError('something follows after its end')
      }
    }
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) return false
      this.#rest = value
    }
    return true
  }
}
