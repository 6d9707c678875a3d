import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeTar, type TarMember } from './tar.ts'
import { readTar, TarError } from './tar-read.ts'

type Item = readonly [TarMember, Uint8Array]

function encoded(items: Iterable<Item>): Buffer {
  return Buffer.concat([...encodeTar(items)])
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function decoded(bytes: Uint8Array, pieceSize = 4096): Promise<Item[]> {
  const items: [TarMember, Uint8Array][] = []
  for await (const item of readTar(inPieces(bytes, pieceSize))) {
    const last = items.at(-1)
    if (!(item instanceof Uint8Array)) items.push([item, new Uint8Array(0)])
    else if (last) last[1] = Buffer.concat([last[1], item])
  }
  return items.map(([member, content]) => [member, Uint8Array.from(content)])
}

function file(path: string, content: string | Uint8Array = 'x', more: Partial<TarMember> = {}): Item {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content)
  return [{ path, type: 'file', size: bytes.length, mode: 0o600, mtime: 1_763_242_342, ...more }, bytes]
}

function folder(path: string, more: Partial<TarMember> = {}): Item {
  return [{ path, type: 'folder', size: 0, mode: 0o700, mtime: 1_763_242_342, ...more }, new Uint8Array(0)]
}

const segment = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 120 })
  .map((text) => text.replace(/[\0/]/g, '_').toWellFormed())
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
const mtime = fc.oneof(
  fc.integer({ min: -1e9, max: 4e9 }),
  fc.integer({ min: 0, max: 4e15 }).map((us) => us / 1e6),
)
const mode = fc.integer({ min: 0, max: 0o777 })
const item = fc
  .oneof(
    fc
      .record({ path, content: fc.uint8Array({ maxLength: 1600 }), mtime, mode })
      .map((made) => file(made.path, made.content, made)),
    fc.record({ path, mtime, mode }).map((made) => folder(made.path, made)),
  )
  .map(([{ path, type, size, mode, mtime }, bytes]): Item => [{ path, type, size, mode, mtime }, bytes])

describe('tar', () => {
  it('reads back what was written, in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 6 }),
        fc.integer({ min: 1, max: 3000 }),
        async (items, pieceSize) => {
          expect(await decoded(encoded(items), pieceSize)).toEqual(items)
        },
      ),
    )
  })

  it('gives the same bytes for the same members', () => {
    const items = [folder('a'), file('a/ü'.repeat(80)), file('b', '', { mtime: 1.5 })]
    expect(encoded(items).equals(encoded(items))).toBe(true)
  })

  it('says sizes that no old header has room for', () => {
    const size = 9 * 1024 ** 3
    const bytes = { length: size } as Uint8Array // stands for nine gigabytes; only the header is looked at
    const { value: headers } = encodeTar([[{ ...file('huge')[0], size }, bytes]]).next()
    expect(Buffer.from(headers as Uint8Array).toString('latin1')).toContain(`size=${size}\n`)
  })

  it('refuses an archive that is cut anywhere', async () => {
    const whole = encoded([folder('a'), file(`a/${'long'.repeat(40)}`, 'y'.repeat(700)), file('b')])
    for (let length = 0; length <= whole.length - 1024; length += 37) {
      await expect(decoded(whole.subarray(0, length)), String(length)).rejects.toThrow(TarError)
    }
  })

  it('refuses a header in which a bit is flipped', async () => {
    const whole = encoded([file('name', 'content')])
    for (let at = 0; at < 512; at += 3) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      await expect(decoded(damaged), String(at)).rejects.toThrow(TarError)
    }
  })

  it.each([
    ['1', 'a hard link'],
    ['2', 'a link'],
    ['3', 'a device'],
    ['6', 'a pipe'],
    ['g', 'a member of type "g"'],
    ['L', 'a member of type "L"'],
  ])('refuses type %s', async (typeflag, what) => {
    await expect(decoded(withType(encoded([file('name')]), typeflag))).rejects.toThrow(`it holds ${what}, "name"`)
  })

  it('refuses what follows after the end', async () => {
    const whole = encoded([file('a')])
    expect(await decoded(Buffer.concat([whole, Buffer.alloc(9 * 512)]))).toHaveLength(1)
    await expect(decoded(Buffer.concat([whole, Buffer.from('more')]))).rejects.toThrow('something follows')
    await expect(decoded(Buffer.concat([whole, Buffer.alloc(3 * 1024 * 1024)]))).rejects.toThrow('something follows')
  })

  it('refuses long headers that are endless, doubled or no records', async () => {
    const pax = encoded([file('ü')]).subarray(0, 1024)
    await expect(decoded(Buffer.concat([pax, pax, encoded([file('ü')])]))).rejects.toThrow('two headers')
    await expect(decoded(Buffer.concat([pax, Buffer.alloc(1024)]))).rejects.toThrow('in the middle')
    const broken = Buffer.from(encoded([file('ü')]))
    broken.write('99', 512)
    await expect(decoded(broken)).rejects.toThrow('a long header in it is damaged')
    const endless = Buffer.from(encoded([file('x'.repeat(2 * 1024 * 1024))]))
    await expect(decoded(endless)).rejects.toThrow('too long')
  })
})

/** Another type in the first header, with its sum put right. */
function withType(archive: Buffer, typeflag: string): Buffer {
  const out = Buffer.from(archive)
  out.write(typeflag, 156)
  out.fill(0x20, 148, 156)
  const sum = out.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  out.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return out
}

const missing = spawnSync('tar', ['--version']).status === 0 ? undefined : 'there is no tar on this system'
// biome-ignore lint/suspicious/noConsole: a skip must be loud
if (missing !== undefined) console.warn(`SKIPPED: the tests against the system's tar: ${missing}`)

describe.skipIf(missing !== undefined)("the system's tar", () => {
  const items = [
    folder('files', { mode: 0o755 }),
    folder('files/ünï', { mtime: 1_600_000_000 }),
    file('files/ünï/日本.md', 'text', { mode: 0o644, mtime: 1_700_000_000.25 }),
    file(`files/${'n'.repeat(200)}`, 'long', { mode: 0o400 }),
    file('files/empty', ''),
    file(
      'files/bytes',
      Uint8Array.from({ length: 1536 }, (_, index) => index % 256),
    ),
  ]

  it('unpacks what we pack', () => {
    const place = mkdtempSync(join(tmpdir(), 'keepsake-tar-'))
    try {
      execFileSync('tar', ['xf', '-', '-C', place], { input: encoded(items) })
      for (const [{ path, type, mode, mtime }, bytes] of items) {
        const stats = statSync(join(place, path))
        expect([path, stats.mode & 0o777, stats.mtimeMs / 1000]).toEqual([path, mode, mtime])
        if (type === 'file') expect(Uint8Array.from(readFileSync(join(place, path)))).toEqual(bytes)
      }
      expect(readdirSync(place, { recursive: true })).toHaveLength(items.length)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })

  it.each(['pax', 'ustar', 'gnu'])('packs what we unpack: %s', async (format) => {
    const place = mkdtempSync(join(tmpdir(), 'keepsake-tar-'))
    // What the older formats can't say, no archive of theirs holds.
    const sayable = items.filter(([{ path, mtime }]) => format === 'pax' || (path.length < 150 && mtime % 1 === 0))
    try {
      for (const [{ path, type }, bytes] of sayable) {
        if (type === 'folder') mkdirSync(join(place, path))
        else writeFileSync(join(place, path), bytes)
      }
      for (const [{ path, mode, mtime }] of sayable.toReversed()) {
        chmodSync(join(place, path), mode)
        utimesSync(join(place, path), mtime, mtime)
      }
      const archive = execFileSync('tar', ['cf', '-', `--format=${format}`, '-C', place, 'files'])
      const found = await decoded(archive)
      const byPath = (a: Item, b: Item): number => (a[0].path < b[0].path ? -1 : 1)
      expect(found.sort(byPath)).toEqual(sayable.toSorted(byPath))
      expect(dirname(found[0]?.[0].path ?? '')).toBe('.')
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
})
